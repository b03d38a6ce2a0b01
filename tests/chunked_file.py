"""Files whose bytes arrive in chunks."""

from itertools import pairwise


class ChunkedFile:
    """Pipe whose reads return the bytes that have arrived, at most one chunk.

    Args:
        data: all bytes.
        cuts: the boundaries of the chunks.
    """

    name = "<pipe>"

    def __init__(self, data, cuts):
        bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        self._pieces = [data[begin:end] for begin, end in pairwise(bounds)]

    def read1(self, size=-1):
        """Return the next chunk, or its first `size` bytes."""
        if not self._pieces:
            return b""
        piece = self._pieces[0]
        if 0 <= size < len(piece):
            self._pieces[0] = piece[size:]
            return piece[:size]
        return self._pieces.pop(0)

    read = read1
