"""How much is made up for data that are not on this machine."""

ENTRIES = 256
# ImageNet's mean size in steps of 128, since networks that halve and join do not take every size; ten seconds of speech.
PICTURE = (512, 384)
SECONDS, RATE = 10, 16_000
