import os
import struct
import threading

import pytest

from milo_sim.protocol import (
    FieldType,
    MessageReader,
    ProtocolError,
    encode_message,
    enlarge_pipe,
    write_all,
)

END = struct.pack("!BI", 255, 0)


@pytest.fixture
def pipe():
    source, sink = os.pipe()
    ends = {"source": source, "sink": sink}
    yield ends
    for descriptor in ends.values():
        if descriptor is not None:
            os.close(descriptor)


def close_sink(pipe):
    os.close(pipe["sink"])
    pipe["sink"] = None


def action(body: bytes) -> bytes:
    return struct.pack("!BI", FieldType.ACTION, len(body)) + body + END


def test_message_is_header_body_and_end():
    assert encode_message(FieldType.METADATA, b"abc") == b"\x01\x00\x00\x00\x03abc" + END


def test_reads_messages_one_by_one_however_they_are_cut(pipe):
    stream = action(b'{"action": "Pass"}') + action(b"") + action(b"x" * 200_000)
    reader = MessageReader(pipe["source"], timeout=10)

    def send() -> None:
        for start in range(40):
            write_all(pipe["sink"], stream[start : start + 1])
        write_all(pipe["sink"], stream[40:])
        close_sink(pipe)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        assert reader.read() == b'{"action": "Pass"}'
        assert reader.read() == b""
        assert reader.read() == b"x" * 200_000
        assert reader.read() is None
    finally:
        sender.join(timeout=10)


def test_closed_pipe_between_messages_is_the_end(pipe):
    close_sink(pipe)
    assert MessageReader(pipe["source"]).read() is None


@pytest.mark.parametrize("cut", [1, 4, 5, 9, 16, 23])
def test_pipe_closed_inside_a_message(pipe, cut):
    write_all(pipe["sink"], action(b'{"action": "Pass"}')[:cut])
    close_sink(pipe)
    with pytest.raises(ProtocolError, match="in the middle of a message"):
        MessageReader(pipe["source"]).read()


def test_half_message_on_an_open_pipe_does_not_hang(pipe):
    write_all(pipe["sink"], action(b'{"action": "Pass"}')[:12])
    with pytest.raises(ProtocolError, match="stopped half way"):
        MessageReader(pipe["source"], timeout=0.05).read()


def test_garbage_is_refused_at_its_first_header(pipe):
    write_all(pipe["sink"], b"GET / HTTP/1.1\r\n\r\n")
    with pytest.raises(ProtocolError, match="does not speak the ai2thor"):
        MessageReader(pipe["source"]).read()


def test_absurd_length_is_refused_without_waiting_for_it(pipe):
    write_all(pipe["sink"], struct.pack("!BI", FieldType.ACTION, 2**32 - 1))
    with pytest.raises(ProtocolError, match="4294967295 bytes long"):
        MessageReader(pipe["source"]).read()


def test_message_without_action_is_refused(pipe):
    write_all(pipe["sink"], END)
    with pytest.raises(ProtocolError, match="no action"):
        MessageReader(pipe["source"]).read()


def test_write_to_a_closed_reader_is_a_broken_pipe(pipe):
    os.close(pipe["source"])
    pipe["source"] = None
    with pytest.raises(BrokenPipeError):
        write_all(pipe["sink"], b"x")


def test_an_event_fits_into_an_enlarged_pipe(pipe):
    enlarge_pipe(pipe["sink"])
    os.set_blocking(pipe["sink"], False)
    write_all(pipe["sink"], bytes(300_000))  # would raise BlockingIOError in a 64 KiB pipe
