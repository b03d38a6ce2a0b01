"""Algorithms 1 to 3 of GD (Gergatsoulis & Damigos) as printed, with their errors.

The oracle has the corrected versions (`oracle.pattern_changes`).
"""

from itertools import product

from oracle.pattern_changes import decomposition, instance, match_edge, variables_of


def ground_bgp_eval(matched):
    return all(matched)


def all_zero(matched):
    return not any(matched)


def process_on_ground(message, query, matched):
    """Algorithm 1: query and match state are lists."""
    if message.operation == "ins":
        if message.edge in query:
            matched[query.index(message.edge)] = 1
            if ground_bgp_eval(matched):
                return "positive"
    elif message.edge in query:
        place = query.index(message.edge)
        if ground_bgp_eval(matched):
            matched[place] = 0
            return "negative"
        matched[place] = 0
    return None


def process_on_star(message, query, instances):
    """Algorithm 2: `instances` are lists of value, ground instance and match state."""
    (variable,) = variables_of(query)
    unifiers = ((place, match_edge(pattern, message.edge)) for place, pattern in enumerate(query))
    place, values = next(((at, found) for at, found in unifiers if found is not None), (None, None))
    if place is None:
        return None
    if message.operation == "ins":
        value = values[variable]
        known = next((each for each in instances if each[0] == value), None)
        if known is not None:
            known[2][place] = 1
            if ground_bgp_eval(known[2]):
                return "positive", value
        else:
            matched = [0] * len(query)
            matched[place] = 1
            ground = [next(iter(instance([pattern], {variable: value}))) for pattern in query]
            instances.append((value, ground, matched))
            if len(query) == 1:
                return "positive", value
        return None
    for value, ground, matched in list(instances):
        if message.edge in ground:
            if ground_bgp_eval(matched):
                return "negative", value
            matched[ground.index(message.edge)] = 0
            for each in list(instances):
                if all_zero(each[2]):
                    instances.remove(each)
    return None


def evaluated_ground(query, messages):
    """Return the output of Algorithm 1."""
    matched = [0] * len(query)
    signs = [process_on_ground(message, query, matched) for message in messages]
    return [(sign, ()) for sign in signs if sign is not None]


def evaluated_star(query, messages):
    """Return the output of Algorithm 2."""
    instances = []
    output = [process_on_star(message, query, instances) for message in messages]
    return [(sign, (value,)) for sign, value in filter(None, output)]


def evaluated(query, messages, own_lists=False):
    """Return the output of Algorithm 3. Without `own_lists` a star's answers are passed as its instances."""
    ground, connected = decomposition(query)
    grounds = [sorted(ground)] if ground else []
    stars = [sorted(patterns) for patterns in connected.values()]
    holds, matched = [0] * len(grounds), [[0] * len(each) for each in grounds]
    held = [[] for _ in stars]
    instances = [[] for _ in stars] if own_lists else held
    output = []
    for message in messages:
        for place, each in enumerate(grounds):
            sign = process_on_ground(message, each, matched[place])
            if sign == "positive":
                holds[place] = 1
            if sign is not None and all(holds) and all(held):
                output += [(sign, row) for row in product(*held)]
            if sign == "negative":
                holds[place] = 0
        for place, each in enumerate(stars):
            found = process_on_star(message, each, instances[place])
            if found is None:
                continue
            sign, value = found
            if sign == "positive" and value not in held[place]:
                held[place].append(value)
            if all(holds) and all(held):
                output += [(sign, row) for row in product(*held[:place], [value], *held[place + 1 :])]
            if sign == "negative" and value in held[place]:
                held[place].remove(value)
    return output
