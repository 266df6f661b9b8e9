# METADATA
# title: Authorization
# description: One question, one rich answer. Visibility, permission and obligations together; never undefined.
# schemas:
#   - input: schema.question
package tenure.authz

import data.tenure.fields
import data.tenure.grants
import data.tenure.listing
import data.tenure.obligations
import data.tenure.question
import data.tenure.relation
import data.tenure.subject
import data.tenure.writes

# METADATA
# title: Decision
# description: The answer to one question.
# scope: document
# entrypoint: true
default decision := {
	"allow": false,
	"visible": false,
	"reason": "malformed_question",
	"grants": [],
	"denied": [],
	"filter": {"mode": "none", "predicates": []},
	"fields": {"masked": [], "read_only": []},
	"set": {},
}

decision := _answer(input.action) if is_string(input.action)

# METADATA
# title: Batch
# description: Many actions of one subject on one resource; an object of action and decision, {} if it is no such question.
# scope: document
# entrypoint: true
default batch := {}

batch := {action: _answer(action) | some action in input.actions} if {
	is_array(input.actions)
	count(input.actions) <= 64
	every action in input.actions {
		is_string(action)
	}
}

_answer(action) := _with_optional(_list_answer(action)) if {
	question.well_formed
	data.tenure.actions[action].kind == "list"
} else := _with_optional(_resource_answer(action)) if {
	question.well_formed
	data.tenure.actions[action]
} else := _refusal("unknown_action") if {
	question.well_formed
} else := _refusal("malformed_question")

# Parts of an answer that are left out when they are empty.
_with_optional([answer, {}]) := answer

_with_optional([answer, optional]) := object.union(answer, optional) if optional != {}

_refusal(reason) := {
	"allow": false,
	"visible": false,
	"reason": reason,
	"grants": [],
	"denied": [],
	"filter": _no_filter,
	"fields": {"masked": [], "read_only": []},
	"set": {},
}

_no_filter := {"mode": "none", "predicates": []}

_list_answer(action) := [answer, optional] if {
	rows := listing.answer(action)
	optional := {"deprecated": rows.deprecated | count(rows.deprecated) > 0}
	answer := {
		"allow": rows.allow,
		"visible": true,
		"reason": _reason(rows.allow),
		"grants": rows.grants,
		"denied": [action | not rows.allow],
		"filter": rows.filter,
		"fields": {"masked": rows.masked, "read_only": []},
		"set": {},
	}
}

_reason(true) := "granted"

_reason(false) := "not_granted"

_resource_answer(action) := [answer, optional] if {
	visible := _visible(action)
	route := _route(action)
	caller := writes.caller(route)
	verdict := _verdict(action, route, caller, visible)
	masked := fields.masked(_masking(action), caller)
	answer := {
		"allow": verdict.reason == "granted",
		"visible": visible,
		"reason": verdict.reason,
		"grants": verdict.grants,
		"denied": verdict.denied,
		"filter": verdict.filter,
		"fields": {
			"masked": masked,
			"read_only": fields.read_only(fields.table(action), caller, masked),
		},
		"set": verdict.set,
	}
	optional := _optional(action, route, caller, answer.allow)
}

_optional(action, route, caller, true) := {name: part |
	some name, part in {
		"conditions": obligations.conditions(route, caller),
		"deprecated": obligations.deprecated(array.concat(_showing(action), writes.actions(route, caller)), caller),
	}
	count(part) > 0
}

_optional(_, _, _, false) := {}

# ---- Which action answers

# A refused action gives way to its fallback, if the switches let that one count.
_route(action) := action if {
	grants.granted(action, grants.here)
} else := fallback if {
	fallback := data.tenure.actions[action].fallback
	grants.counts(fallback)
} else := action

# ---- Visibility

default _found := false

_found if not data.tenure.resources[question.resource_type].get

_found if grants.granted(data.tenure.resources[question.resource_type].get, grants.here)

_visible(action) if {
	_always_visible(action)
} else := _found

_always_visible(action) if data.tenure.actions[action].kind in {"create", "caller"}

# The action that made the resource visible, if it had to be.
_showing(action) := [] if {
	_always_visible(action)
} else := [data.tenure.resources[question.resource_type].get] if {
	data.tenure.resources[question.resource_type].get
} else := []

# A resource that is being created is visible as if it existed.
_masking(action) := fields.table(action) if {
	writes.creates(action)
} else := _resource_table

default _resource_table := ""

_resource_table := data.tenure.resources[question.resource_type].table

# ---- Verdict: {reason, grants, denied, filter, set}

_verdict(action, _, _, false) := _refused("not_visible", [action])

_verdict(_, route, caller, true) := _refused("malformed_question", [route]) if {
	writes.judged(route)
	question.fields_given
	not question.segments
} else := _refused("no_project", [route]) if {
	writes.in_own_project(route)
	not subject.project
	subject.scope == "none"
} else := _refused("not_granted", [route]) if {
	not writes.by_fields_alone(route)
	not grants.granted(route, grants.here)
} else := _refused("no_project", [route]) if {
	writes.in_own_project(route)
	not subject.project
} else := _refused("owner_mismatch", [route]) if {
	writes.in_own_project(route)
	question.requested_owner
	not relation.same(question.requested_owner, subject.project)
} else := _refused("not_granted", refused) if {
	refused := fields.refused(fields.table(route), writes.needed(route, caller), caller)
	count(refused) > 0
} else := {
	"reason": "granted",
	"grants": sort({name |
		some action in writes.actions(route, caller)
		some name in grants.matched(action, caller)
	}),
	"denied": [],
	"filter": obligations.filter(route),
	"set": obligations.values(route),
}

_refused(reason, denied) := {
	"reason": reason,
	"grants": [],
	"denied": denied,
	"filter": _no_filter,
	"set": {},
}
