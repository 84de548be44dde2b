"""The playground: a page, and JSON endpoints, on this machine only (`celab serve`).

    answers      a JSON request → the answer; knows nothing of HTTP
    description  the OpenAPI description of the endpoints
    app          HTTP: who may ask, how much, and for how long

The page is made of the report's own script and style (`celab.report.html`).
"""
