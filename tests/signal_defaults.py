"""How commands that tests start hear signals, wherever the tests run."""

import signal


def hear_signals():
    """Undo what `nohup` or a background shell has done: the `preexec_fn` of a process."""
    for stop in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(signal, stop):
            signal.signal(getattr(signal, stop), signal.SIG_DFL)
