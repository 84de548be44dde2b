"""`celab serve`: a page to try the metric in, and JSON endpoints, on this machine only."""

from __future__ import annotations

import errno
import sys
import warnings
from dataclasses import dataclass

from celab.base.errors import OptionError, install_command
from celab.base.messages import note, warn
from celab.base.options import option, option_group
from celab.cli import terminal
from celab.cli.arguments import NO_ALIGN
from celab.cli.command import command
from celab.cli.option_groups import OutputOptions, WarningOptions
from celab.cli.requests import Request
from celab.cli.terminal import Outcome

PORT = 8000


@dataclass(frozen=True, kw_only=True)
class ServeRequest(Request):
    """Request of `celab serve`."""

    heading = "Server"

    port: int = option(PORT, "port; 0: any free port", metavar="N", between=(0, 65535))
    status: OutputOptions = option_group(
        OutputOptions, only=["quiet"], quiet="suppress status messages"
    )
    strictness: WarningOptions = option_group(WarningOptions, only=["strict"])


@command(
    ServeRequest,
    "serve",
    usage="[options]",
    common="--port",
    example="{0} --port 8000",
    description="Serves a page in which you can type a reference and translations and see how"
    " TESLA-CELAB scores them, look up words, and make reports; and JSON endpoints for other"
    " programs. Only this machine can reach it. Ctrl-C ends it.",
    epilog="POST /score takes and returns JSON; /openapi.json describes it. Needs the extra serve.",
    refused=NO_ALIGN,
)
def main(request: ServeRequest) -> Outcome:
    """Serve until interrupted."""
    try:
        from celab.serve import answers, app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "celab":
            raise
        raise OptionError(
            f"the package {error.name} is not installed; {request.program} needs it:"
            f" {install_command('serve')}"
        ) from None
    try:
        listening = app.listen(request.port)
    except OSError as error:
        is_in_use = error.errno == errno.EADDRINUSE
        why = "is in use" if is_in_use else f"cannot be used ({error.strerror})"
        raise OptionError(
            f"port {request.port} {why}; give another with --port, or --port 0 for a free one"
        ) from None

    def tell(warning: str) -> None:
        warn(warning, is_hint=True)
        terminal.print_messages("warning", program=request.program)  # not at the end, hours later

    with listening:
        answers.explain("买伞", ["买雨伞"], {})  # so that the first answer is quick
        sys.setswitchinterval(0.001)  # seconds; a short answer need not wait for a long one
        # Warnings about later requests are in the answers.
        warnings.simplefilter("ignore")
        note("Ctrl-C ends it")
        terminal.print_messages("warning", "finding", "note", program=request.program)
        host, port = listening.getsockname()
        terminal.write(f"http://{host}:{port}/\n")
        app.make_server(tell=tell).run(sockets=[listening])
    return Outcome()
