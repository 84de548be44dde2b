"""The playground: a page and JSON endpoints, on this machine only (`celab serve`).

    limits    how much a request may ask for, and for how long
    models    the requests and answers, as pydantic models; one line for what is wrong
    answers   arguments → scores, explanations, words of lexicons, reports; knows nothing of HTTP
    worker    a process that answers one long request
    jobs      loads lexicons, runs short work in threads and long work in worker processes, and
              stops it
    app       the FastAPI application: who may ask, and what; the socket and uvicorn

The page is built from the report's own script and style (`celab.report.html`).
"""
