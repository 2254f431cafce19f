"""The language of the micro model: short stories from a small grammar.

A text is a few sentences about one place. `<name>` stands for any alternative of the rule `name`. The model is trained
on such texts (`python -m grader micro`), and Part 6 serves it pieces of them.
"""

import random
import re
from functools import cache

RULES: dict[str, list[str]] = {
    "text": ["<kitchen>", "<railway>", "<library>", "<harbour>", "<garden>", "<engine>"],
    # -- a kitchen
    "kitchen": [
        "<kitchen_start> <kitchen_end>",
        "<kitchen_start> <kitchen_early> <kitchen_end>",
        "<kitchen_start> <kitchen_late> <kitchen_end>",
        "<kitchen_start> <kitchen_early> <kitchen_late> <kitchen_end>",
    ],
    "kitchen_start": [
        "At <hour> <name> lights the oven and <friend> puts a pot of <liquid> on the stove.",
        "<name> comes back from the market with <basket>.",
        "Today the kitchen has to feed <number> guests, and <name> starts with the <vegetable>.",
        "The <cook> of the little restaurant opens a <age> book and looks for a recipe with <vegetable>.",
    ],
    "kitchen_early": [
        "<name> <cuts> the <vegetable> while <friend> stirs the <liquid>.",
        "The <baked> stays in the oven for <number> minutes, and not one minute longer.",
        "There is enough <spice> for the soup, but hardly any for the <baked>.",
    ],
    "kitchen_late": [
        "First come the <vegetable>, then <basket>, and at the very end a little <spice>.",
        "<chain> tastes the soup and asks for more <spice>.",
    ],
    "kitchen_end": [
        "By <hour> the <baked> is ready, and the whole street smells of <spice>.",
        "Nobody leaves the table before the last piece of <baked> is gone.",
        "In the evening <name> washes <number> plates and hums a <age> song.",
        "The guests say that the soup was never better.",
        "Then <name> wipes the table, and tomorrow it all begins again.",
    ],
    "basket": ["<vegetable> and <herb>", "<vegetable>, <herb> and <fruit>"],
    "chain": ["The <cook>", "<name>", "<name>, who learned to cook from <person>,"],
    "person": ["the <cook>", "<friend>", "an aunt of <person>", "a neighbour of <person>"],
    "cook": ["cook", "baker", "old chef", "young chef", "owner"],
    "vegetable": ["carrots", "onions", "leeks", "beans", "potatoes"],
    "herb": ["mushrooms", "tomatoes", "spinach", "fennel", "parsley"],
    "fruit": ["plums", "apples", "lemons", "pears"],
    "liquid": ["milk", "water", "broth", "cider", "lentil soup"],
    "baked": ["bread", "apple pie", "plum cake", "cheese tart", "ginger cake"],
    "spice": ["pepper", "cinnamon", "thyme", "garlic", "saffron", "nutmeg", "rosemary"],
    "cuts": ["slices", "peels", "chops", "washes", "salts"],
    # -- a railway
    "railway": [
        "<railway_start> <railway_end>",
        "<railway_start> <railway_early> <railway_end>",
        "<railway_start> <railway_late> <railway_end>",
        "<railway_start> <railway_early> <railway_late> <railway_end>",
    ],
    "railway_start": [
        "The <train> to <city> leaves at <hour> from platform <number>.",
        "<name> is the driver of the <train> from <city> to <town>.",
        "It is <hour>, and the <train> stands in the snow between <city> and <town>.",
        "On platform <number> there are <number> travellers with tickets for the <train>.",
    ],
    "railway_early": [
        "In the <coach> <name> reads a <age> letter and forgets to look out of the window.",
        "The signal turns green, and <number> coaches begin to move.",
        "A <train> may wait for another one, but it never overtakes on a single track.",
    ],
    "railway_late": [
        "The stops are <stops>.",
        "The conductor counts <number> bags in the <coach> and only <number> travellers.",
    ],
    "railway_end": [
        "The <train> reaches <city> <number> minutes late, and nobody minds.",
        "At <hour> the last lamp in the station goes out.",
        "In <city> <name> is waiting with flowers.",
        "Only <name> has noticed that it is <day> by now.",
        "Behind the tunnel lies the sea, and everybody stands up to see it.",
    ],
    "stops": ["<city> and <town>", "<city>, <town> and a village by the sea"],
    "train": ["night train", "slow train", "express", "goods train", "mail train"],
    "coach": ["first coach", "last coach", "sleeping car", "dining car"],
    "city": ["Bergen", "Lisbon", "Trieste", "Ghent", "Porto"],
    "town": ["Krakow", "Galway", "Basel", "Turin", "Oslo"],
    # -- a library
    "library": [
        "<library_start> <library_end>",
        "<library_start> <library_early> <library_end>",
        "<library_start> <library_late> <library_end>",
        "<library_start> <library_early> <library_late> <library_end>",
    ],
    "library_start": [
        "The library in <city> owns <number> books about <subject>.",
        "<name> has been looking for a book about <subject> since <hour>.",
        "On the top shelf stands a <age> book about <subject>.",
        "Every <day> <name> reads aloud to <number> children.",
    ],
    "library_early": [
        "Between two pages <name> finds a note: <note>.",
        "The catalogue says that <name> borrowed it on <day> and never brought it back.",
        "The maps lie between a book about <subject> and a book about <theme>.",
    ],
    "library_late": [
        "A cat sleeps on the shelf about <subject> and does not like to be moved.",
        "<name> whispers that <rumour>.",
    ],
    "library_end": [
        "At <hour> the doors close, and the books have the night to themselves.",
        "The next reader is already waiting.",
        "On <day> it will be back in its place.",
        "<name> writes a new card and smiles.",
        "In the end <name> takes a book about <subject> instead.",
    ],
    "note": ["meet me in <city> at <hour>", "never trust a book about <subject>", "buy <basket>"],
    "rumour": ["<friend> knows where it is", "<friend> thinks that <rumour>", "the cellar is full of maps"],
    "subject": ["whales", "clocks", "volcanoes", "bees", "queues"],
    "theme": ["bridges", "knots", "the moon", "old maps"],
    # -- a harbour
    "harbour": [
        "<harbour_start> <harbour_end>",
        "<harbour_start> <harbour_early> <harbour_end>",
        "<harbour_start> <harbour_late> <harbour_end>",
        "<harbour_start> <harbour_early> <harbour_late> <harbour_end>",
    ],
    "harbour_start": [
        "The <ship> <shipname> comes into the harbour of <city> at <hour>.",
        "There are <number> berths in the harbour, and all of them are taken.",
        "A <wind> wind blows, and the <ship> <shipname> has to wait outside the harbour.",
        "<name> has kept the lighthouse for <number> years.",
    ],
    "harbour_early": [
        "The <ship> from <city> carries <cargo>.",
        "The crane lifts <number> boxes an hour, one after the other.",
        "As soon as a berth is free, the next ship comes in.",
    ],
    "harbour_late": [
        "<name> waves from the pier until the <ship> is out of sight.",
        "The harbour master writes down every box: <cargo>.",
    ],
    "harbour_end": [
        "Before <hour> the wind has died down.",
        "On <day> the <ship> leaves for <city>.",
        "The gulls know nothing of all this and sleep on the roof.",
        "At night only the lighthouse is awake.",
        "<name> counts the lights on the water and falls asleep at <number>.",
    ],
    "ship": ["ferry", "freighter", "sailing ship", "fishing boat", "tug"],
    "shipname": ["Aurora", "Patience", "Northern Star", "Evening", "Good Hope"],
    "wind": ["cold", "warm", "strong", "salty"],
    "cargo": ["<good> and <ware>", "<good>, <ware> and <cargo>"],
    "good": ["oranges", "tea", "timber", "wool"],
    "ware": ["bicycles", "salt", "paper", "pianos"],
    # -- a garden
    "garden": [
        "<garden_start> <garden_end>",
        "<garden_start> <garden_early> <garden_end>",
        "<garden_start> <garden_late> <garden_end>",
        "<garden_start> <garden_early> <garden_late> <garden_end>",
    ],
    "garden_start": [
        "Behind the house of <name> there is a garden with <number> <tree> trees.",
        "In <month> <name> digs up the bed beside the <tree> tree.",
        "Last night the wind broke the <age> <tree> tree.",
        "<name> and <friend> share a garden and a ladder.",
    ],
    "garden_early": [
        "The <animal> comes every morning at <hour> and looks for <food>.",
        "<name> plants <flower> where the <bush> did not grow.",
        "If it does not rain before <day>, the <flower> will need water.",
    ],
    "garden_late": [
        "Under the leaves sits a <animal> that has seen <number> summers.",
        "The neighbour brings seeds: <bed>.",
    ],
    "garden_end": [
        "In <month> everything will be in bloom.",
        "The rest of the work can wait until <day>.",
        "By <hour> the shadows are long and the <animal> is asleep.",
        "Nobody is in a hurry here, least of all the <animal>.",
    ],
    "tree": ["apple", "cherry", "pear", "walnut", "plum"],
    "animal": ["blackbird", "hedgehog", "toad", "squirrel", "snail"],
    "food": ["worms", "crumbs", "nuts", "seeds"],
    "flower": ["tulips", "asters", "poppies"],
    "bush": ["roses", "lilies", "sunflowers"],
    "bed": ["<flower>", "<bush>", "<flower> and <bush>"],
    "month": ["March", "April", "May", "June", "September"],
    # -- an engine that serves language models
    "engine": [
        "<engine_start> <engine_end>",
        "<engine_start> <engine_early> <engine_end>",
        "<engine_start> <engine_late> <engine_end>",
        "<engine_start> <engine_early> <engine_late> <engine_end>",
    ],
    "engine_start": [
        "The scheduler looks at the queue and admits <number> requests.",
        "Request <number> arrives with a prompt of <number> tokens.",
        "There are <number> free blocks, and request <number> needs <number>.",
        "A batch of <number> requests starts together.",
        "At <hour> a user in <city> asks for <number> lines about <subject>.",
    ],
    "engine_early": [
        "A long prompt is cut into chunks, so that short requests need not wait.",
        "Request <number> is done, and its <number> blocks go back to the pool.",
        "Waiting in the queue are requests <requests>.",
    ],
    "engine_late": [
        "The pool is full, so the request that came last has to go back to the queue.",
        "In every tick each running request computes one token.",
    ],
    "engine_end": [
        "After <number> ticks everything is finished.",
        "At <hour> the queue is empty, and the fans grow quiet.",
        "An empty slot is a wasted slot.",
        "The next request takes the free slot at once.",
        "Nobody overtakes, and nobody waits forever.",
    ],
    "requests": ["<number> and <number>", "<number>, <requests>"],
    # -- shared
    "hour": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "noon", "midnight"],
    "number": ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "age": ["new", "very old", "half forgotten", "famous", "thin"],
    "name": ["Mara", "Tom", "Ines", "Oskar", "Lin", "Amir"],
    "friend": ["Greta", "Noah", "Yuki", "Paul", "Zofia", "Ravi"],
}


def parts_of(alternative: str) -> list[str]:
    """Split into literal text and references: `"a <b> c"` -> `["a ", "<b>", " c"]`."""
    return [part for part in re.split(r"(<\w+>)", alternative) if part]


PARSED = {name: [parts_of(alternative) for alternative in alternatives] for name, alternatives in RULES.items()}


def make_text(rng: random.Random, rule: str = "text") -> str:
    """A random text of the grammar; every alternative of a rule is equally likely. Raises `KeyError` for no rule."""
    parts = rng.choice(PARSED[rule])
    return "".join(make_text(rng, part[1:-1]) if part.startswith("<") else part for part in parts)


def is_text(text: str, rule: str = "text") -> bool:
    """Does the grammar derive exactly this text, from the first character to the last?

    Raises `KeyError` if there is no such rule.
    """

    @cache
    def ends(name: str, start: int) -> frozenset[int]:
        """Where a piece that `name` derives may end if it begins at `start`."""
        found: set[int] = set()
        for parts in PARSED[name]:
            places = {start}
            for part in parts:
                if part.startswith("<"):
                    places = {end for place in places for end in ends(part[1:-1], place)}
                else:
                    places = {place + len(part) for place in places if text.startswith(part, place)}
            found |= places
        return frozenset(found)

    return len(text) in ends(rule, 0)
