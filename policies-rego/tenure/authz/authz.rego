# METADATA
# title: Authorization
# description: One question, one rich answer. Visibility, permission and obligations together; never undefined.
# schemas:
#   - input: schema.question
package tenure.authz

import data.tenure.fields
import data.tenure.grants
import data.tenure.listing
import data.tenure.question
import data.tenure.relation
import data.tenure.subject

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

_answer(action) := _list_answer(action) if {
	question.well_formed
	data.tenure.actions[action].kind == "list"
} else := _thing_answer(action) if {
	question.well_formed
	data.tenure.actions[action]
} else := _refusal("unknown_action") if {
	question.well_formed
} else := _refusal("malformed_question")

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

_list_answer(action) := {
	"allow": rows.allow,
	"visible": true,
	"reason": _reason(rows.allow),
	"grants": rows.grants,
	"denied": [action | not rows.allow],
	"filter": rows.filter,
	"fields": {"masked": rows.masked, "read_only": []},
	"set": {},
} if {
	rows := listing.answer(action)
}

_reason(true) := "granted"

_reason(false) := "not_granted"

_thing_answer(action) := object.union(answer, {"conditions": conditions}) if {
	answer := _bare_answer(action)
	route := _route(action)
	conditions := _conditions(route, _holding(route), answer.allow)
	count(conditions) > 0
} else := _bare_answer(action)

_bare_answer(action) := {
	"allow": verdict.reason == "granted",
	"visible": visible,
	"reason": verdict.reason,
	"grants": verdict.grants,
	"denied": verdict.denied,
	"filter": verdict.filter,
	"fields": {
		"masked": fields.masked(_masking(action), holding),
		"read_only": fields.read_only(fields.table(action), holding),
	},
	"set": verdict.set,
} if {
	visible := _visible(action)
	route := _route(action)
	holding := _holding(route)
	verdict := _verdict(action, route, holding, visible)
}

# ---- Which action answers

# A refused action gives way to its fallback, if the switches let that one count.
_route(action) := action if {
	grants.granted(action, grants.here)
} else := fallback if {
	fallback := data.tenure.actions[action].fallback
	grants.counts(fallback)
} else := action

# ---- Visibility

default _shown := false

_shown if not data.tenure.resources[question.resource_type].get

_shown if grants.granted(data.tenure.resources[question.resource_type].get, grants.here)

_visible(action) if {
	data.tenure.actions[action].kind in {"create", "caller"}
} else := _shown

# ---- What is created is judged as if it stood already

_creates(action) if data.tenure.actions[action].kind == "create"

_masking(action) := fields.table(action) if {
	_creates(action)
} else := _resource_table

default _resource_table := ""

_resource_table := data.tenure.resources[question.resource_type].table

_holding(route) := grants.held({place}) if {
	_creates(route)
	_judges_fields(route)
	_becomes_owner(route)
	place := data.tenure.resources[fields.table(route)].places.owner
} else := grants.here

_becomes_owner(route) if _in_own_project(route)

_becomes_owner(route) if {
	not _in_own_project(route)
	relation.same(question.requested_owner, subject.project)
}

# Rows with `own_project_unless`: the caller acts for its own project, unless one of those grants matched.
_in_own_project(route) if {
	free := data.tenure.actions[route].own_project_unless
	count({name | some name in free} & grants.matched(route, grants.here)) == 0
}

# ---- Verdict: {reason, grants, denied, filter, set}

_verdict(action, _, _, false) := _refused("not_visible", [action])

_verdict(_, route, holding, true) := _refused("malformed_question", [route]) if {
	_judges_fields(route)
	question.fields_given
	not question.segments
} else := _refused("no_project", [route]) if {
	_in_own_project(route)
	not subject.project
	subject.scope == "none"
} else := _refused("not_granted", [route]) if {
	not _by_fields_alone(route)
	not grants.granted(route, grants.here)
} else := _refused("no_project", [route]) if {
	_in_own_project(route)
	not subject.project
} else := _refused("owner_mismatch", [route]) if {
	_in_own_project(route)
	question.requested_owner
	not relation.same(question.requested_owner, subject.project)
} else := _refused("not_granted", refused) if {
	refused := fields.refused(fields.table(route), _needed(route), holding)
	count(refused) > 0
} else := {
	"reason": "granted",
	"grants": sort(_matched(route, holding)),
	"denied": [],
	"filter": _filter(route),
	"set": _set(route),
}

_refused(reason, denied) := {
	"reason": reason,
	"grants": [],
	"denied": denied,
	"filter": _no_filter,
	"set": {},
}

# ---- Writes

# Creates, and the update action that is a table's general one.
_judges_fields(route) if {
	_creates(route)
	data.tenure.fields.tables[fields.table(route)].other
}

_judges_fields(route) if data.tenure.fields.tables[fields.table(route)].other == route

# An update that names its fields needs their actions; the general one only for fields that have no other.
_by_fields_alone(route) if {
	_judges_fields(route)
	not _creates(route)
	question.fields_given
}

_needed(route) := fields.needed(fields.table(route), _exempt(route)) if {
	_judges_fields(route)
} else := []

# The owner of what is created in the own project is not for the caller to choose.
_exempt(route) := {"owner"} if {
	_in_own_project(route)
} else := set()

_matched(route, holding) := {name |
	some action in array.concat(_base(route), _needed(route))
	some name in grants.matched(action, holding)
}

_base(route) := [] if {
	_by_fields_alone(route)
} else := [route]

# ---- Obligations

# What is created is in no state yet.
_conditions(route, holding, true) := fields.conditions(fields.table(route), holding) if {
	_judges_fields(route)
	not _creates(route)
} else := []

_conditions(_, _, false) := []

_set(route) := {"owner": subject.project} if {
	_in_own_project(route)
} else := {}

# Nodes that an allocation may take: those that its owner owns or leases, or any if it has no owner.
_filter(route) := _no_filter if {
	not data.tenure.actions[route].filter
} else := _nodes_of(subject.project) if {
	_in_own_project(route)
} else := _nodes_of(question.requested_owner) if {
	relation.is_id(question.requested_owner)
} else := _no_filter if {
	question.requested_owner
} else := {"mode": "all", "predicates": []}

_nodes_of(project) := {"mode": "any_of", "predicates": [
	{"field": "owner", "op": "eq", "value": project, "masked": []},
	{"field": "lessee", "op": "eq", "value": project, "masked": []},
]}
