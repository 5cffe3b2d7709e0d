"""How much is made up for data that are not on this machine."""

ENTRIES = 256
# ImageNet's mean size in steps of 128, since networks that halve and join do not take every size; ten seconds of speech.
PICTURE = (512, 384)
SECONDS, RATE = 10, 16_000

# An object in a picture, as COCO has it, whose own categories are numbers.
LEFT, TOP, WIDTH, HEIGHT = PICTURE[0] // 4, PICTURE[1] // 4, PICTURE[0] // 2, PICTURE[1] // 2
CORNERS = [LEFT, TOP, LEFT + WIDTH, TOP, LEFT + WIDTH, TOP + HEIGHT, LEFT, TOP + HEIGHT]
OBJECT = {"bbox": [LEFT, TOP, WIDTH, HEIGHT], "segmentation": [CORNERS], "area": WIDTH * HEIGHT, "iscrowd": 0, "width": PICTURE[0], "height": PICTURE[1]}
