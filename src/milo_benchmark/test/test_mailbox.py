import os
import signal
import threading
import time

import pytest

from milo_benchmark.mailbox import EpisodeStopped, Mailbox, WaitTimeout


def test_an_event_from_another_thread_ends_the_wait():
    mailbox, seen = Mailbox(), []
    threading.Thread(target=mailbox.post, args=("event",)).start()
    mailbox.wait(lambda: bool(seen), 5.0, seen.append)
    assert seen == ["event"]


def test_what_is_true_already_is_not_waited_for():
    Mailbox().wait(lambda: True, 0.0)


def test_nothing_comes():
    with pytest.raises(WaitTimeout):
        Mailbox().wait(lambda: False, 0.01)


def test_other_events_do_not_end_the_wait():
    mailbox, seen = Mailbox(), []
    for event in "abc":
        mailbox.post(event)
    mailbox.wait(lambda: "c" in seen, 5.0, seen.append)
    assert seen == ["a", "b", "c"]


def test_a_stop_ends_this_wait_and_every_later_one():
    mailbox = Mailbox()
    threading.Thread(target=mailbox.stop, args=(130,)).start()
    for _ in range(2):
        with pytest.raises(EpisodeStopped):
            mailbox.wait(lambda: False, 5.0)
    with pytest.raises(EpisodeStopped):
        mailbox.receive()
    mailbox.stop(143)
    assert mailbox.exit_code == 130


def test_a_cancellation_ends_one_episode_only():
    mailbox = Mailbox()
    mailbox.cancel()
    with pytest.raises(EpisodeStopped):
        mailbox.wait(lambda: False, 5.0)
    mailbox.begin()
    mailbox.post("next")
    assert mailbox.receive() == "next"
    assert mailbox.exit_code is None


def test_some_waits_outlast_a_cancellation_but_no_stop():
    mailbox = Mailbox()
    mailbox.cancel()
    with pytest.raises(WaitTimeout):
        mailbox.wait(lambda: False, 0.01, cancelable=False)
    mailbox.stop(130)
    with pytest.raises(EpisodeStopped):
        mailbox.wait(lambda: False, 5.0, cancelable=False)


def test_a_signal_ends_the_wait_at_once():
    mailbox = Mailbox()
    previous = signal.signal(signal.SIGUSR1, lambda *_: mailbox.stop(130))
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        begun = time.monotonic()
        with pytest.raises(EpisodeStopped):
            mailbox.wait(lambda: False, 30.0)
        assert time.monotonic() - begun < 10.0
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, previous)
