"""Asks oslo.policy itself: reads {defaults, files, cases} from standard input, writes one answer a file.

A file names the cases it is evaluated for. `plain` is what oslo.policy allows; `strict` is the same with the one documented
difference, that a null of the target never equals a null of the caller. Both are lists of [action, case].
"""

import json
import logging
import re
import sys

from oslo_config import cfg
from oslo_policy import _checks, policy

ONE_KEY = re.compile(r"%\(([^()]*)\)s")


class Complaints(logging.Handler):
    """Counts what oslo.policy logs as an error: rules that it does not understand and therefore denies."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.count = 0

    def emit(self, record):
        self.count += 1


class NullCheck(_checks.GenericCheck):
    """As it is, but notes where null is compared with null; while `strict` is on, that is no match."""

    met = False
    strict = False

    def __call__(self, target, creds, enforcer, current_rule=None):
        key = ONE_KEY.fullmatch(self.match)
        if key and target.get(key.group(1), "") is None and creds.get(self.kind, "") is None:
            NullCheck.met = True
            if NullCheck.strict:
                return False
        return super().__call__(target, creds, enforcer, current_rule)


_checks.registered_checks[None] = NullCheck
complaints = Complaints()
logger = logging.getLogger("oslo_policy")
logger.addHandler(complaints)
logger.propagate = False
logger.setLevel(logging.ERROR)
conf = cfg.ConfigOpts()
conf(args=[])


def enforcer_of(text, defaults):
    rules = policy.Rules({**defaults, **policy.Rules.load(text)}, "default")
    return policy.Enforcer(conf, use_conf=False, rules=rules, default_rule="default")


def enforced(enforcer, action, case, strict):
    NullCheck.strict = strict
    return enforcer.enforce(action, case["target"], dict(case["creds"]))


def ask(enforcer, file, cases, answer):
    for action in file["actions"]:
        for number in file["cases"]:
            NullCheck.met = False
            plain = enforced(enforcer, action, cases[number], False)
            # where null met no null, both are the same by construction
            strict = enforced(enforcer, action, cases[number], True) if NullCheck.met else plain
            if plain:
                answer["plain"].append([action, number])
            if strict:
                answer["strict"].append([action, number])


def answer_of(file, defaults, cases):
    complaints.count = 0
    answer = {"complained": False, "plain": [], "strict": [], "raised": None}
    try:
        enforcer = enforcer_of(file["text"], defaults)
        answer["complained"] = not enforcer.check_rules()
        ask(enforcer, file, cases, answer)
    except Exception as error:
        answer["raised"] = type(error).__name__
    answer["complained"] |= complaints.count > 0
    return answer


request = json.load(sys.stdin)
defaults = policy.Rules.from_dict(request["defaults"])
json.dump([answer_of(file, defaults, request["cases"]) for file in request["files"]], sys.stdout)
