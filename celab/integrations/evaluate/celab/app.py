"""The page of a Hugging Face Space for the module."""

import evaluate
from evaluate.utils import launch_gradio_widget

launch_gradio_widget(evaluate.load("celab.py"))
