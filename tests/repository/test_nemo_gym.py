"""The example for NeMo Gym, with stand-ins that have the fields of its classes.

NeMo Gym needs another Python than celab's oldest, and brings Ray: it is not installed for tests.
"""

import asyncio
import runpy
import sys
import types

import pytest
from conftest import ROOT

import celab

REF = "第二天早上，他们带着雨伞去了火车站。"
GOOD = "第二天早晨，他们带伞去了火车站。"
SOURCE = "The next morning they took their umbrellas to the station."


@pytest.fixture(scope="module")
def example():
    """The names of the example, and NeMo Gym's class of requests."""
    pydantic = pytest.importorskip("pydantic", reason="pydantic (extra serve) is not installed")

    class Response(pydantic.BaseModel):
        output_text: str

    class Request(pydantic.BaseModel):
        response: Response

    class Verified(Request):
        reward: float

    class Server(pydantic.BaseModel):
        pass

    gym = types.ModuleType("nemo_gym.base_resources_server")
    gym.BaseResourcesServerConfig = pydantic.BaseModel
    gym.BaseVerifyRequest = Request
    gym.BaseVerifyResponse = Verified
    gym.SimpleResourcesServer = Server
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "nemo_gym", types.ModuleType("nemo_gym"))
        patch.setitem(sys.modules, gym.__name__, gym)
        return runpy.run_path(str(ROOT / "examples" / "nemo_gym" / "app.py"))


def verified(example, text, reference):
    body = example["TranslationRequest"](
        response={"output_text": text}, text=SOURCE, translation=reference
    )
    server = example["TranslationServer"](config={})
    return asyncio.run(server.verify(body))


def test_a_response_gets_the_reward_of_its_translation(example):
    (value,) = celab.integrations.reward()([GOOD], reference=[REF])
    answer = verified(example, f"Rain.</think>\n{GOOD}", REF)
    assert answer.reward == value > 0.5
    assert answer.response.output_text.endswith(GOOD)
    assert verified(example, GOOD, [REF, GOOD]).reward > value


@pytest.mark.parametrize("text", ["", f"<think>{GOOD}", SOURCE, "抱歉，我无法翻译。"])
def test_what_is_no_translation_gets_0(example, text):
    assert verified(example, text, REF).reward == 0.0


def test_no_reference_is_0(example):
    assert verified(example, GOOD, None).reward == 0.0
