import os
import signal
import time

import pytest

from lopsided_bench.trial import deadline


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


def take_for_its_own():
    """Act as an import or a booster does with an alarm in the middle of it."""
    try:
        time.sleep(60)
    except OSError as error:
        raise ImportError("cannot be imported") from error


def test_what_becomes_of_an_alarm_on_its_way_out_is_still_a_timeout():
    with pytest.raises(TimeoutError), deadline(0.001):
        take_for_its_own()


def test_an_error_before_the_deadline_stays_what_it_is():
    with pytest.raises(ImportError, match="of its own"), deadline(60.0):
        raise ImportError("of its own")
