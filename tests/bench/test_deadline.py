import os
import signal
import time

import pytest

from lopsided.bench.trial import deadline


def test_an_alarm_at_the_very_end_neither_raises_nor_goes_on(monkeypatch):
    set_timer = signal.setitimer

    def ring_first(which, seconds, interval=0.0):
        if not seconds:
            os.kill(os.getpid(), signal.SIGALRM)
        return set_timer(which, seconds, interval)

    before = signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(signal, "setitimer", ring_first)
    with deadline(60.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_block_that_takes_too_long_is_stopped_and_the_timer_with_it():
    with pytest.raises(TimeoutError), deadline(0.001):
        time.sleep(60)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
