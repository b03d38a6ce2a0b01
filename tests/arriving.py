"""Files whose bytes arrive in pieces."""

from itertools import pairwise


class Pieces:
    """A pipe: each read gives what has arrived, never more than one piece.

    Args:
        data: all bytes.
        cuts: where one piece ends and the next begins.
    """

    name = "<pipe>"

    def __init__(self, data, cuts):
        bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        self._pieces = [data[begin:end] for begin, end in pairwise(bounds)]

    def read1(self, size=-1):
        """The next piece, or as much of it as is asked for."""
        if not self._pieces:
            return b""
        piece = self._pieces[0]
        if 0 <= size < len(piece):
            self._pieces[0] = piece[size:]
            return piece[:size]
        return self._pieces.pop(0)

    read = read1
