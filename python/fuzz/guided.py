"""The doors under atheris, which follows the coverage of the package's Python and of the doors themselves.

usage: guided.py [OPTIONS OF LIBFUZZER]     guided.py -runs=1000000
"""

import sys

import atheris

with atheris.instrument_imports(include=["bloomery", "doors"]):
    import doors


class Decisions:
    """The bytes of the fuzzer, with the methods of random.Random that doors.py uses."""

    def __init__(self, data):
        self.data = atheris.FuzzedDataProvider(data)

    def choice(self, values):
        return values[self.randrange(len(values))]

    def randrange(self, end):
        return self.data.ConsumeIntInRange(0, end - 1)

    def getrandbits(self, bits):
        return self.data.ConsumeUInt(bits // 8)

    def randbytes(self, count):
        return self.data.ConsumeBytes(count).ljust(count, b"\0")

    def random(self):
        return self.data.ConsumeProbability()


atheris.Setup(sys.argv, lambda data: doors.call(doors.Source(Decisions(data))) and None)
atheris.Fuzz()
