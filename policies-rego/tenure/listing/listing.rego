# METADATA
# title: Listing
# description: Which rows of a collection a caller gets, and what is masked in them.
# schemas:
#   - input: schema.question
package tenure.listing

import data.tenure.fields
import data.tenure.grants
import data.tenure.relation
import data.tenure.subject

# {allow, grants, filter, masked, deprecated}: every row, those of the caller's project, or none.
answer(action) := {
	"allow": true,
	"grants": sort(grants.matched(unfiltered, grants.here)),
	"filter": {"mode": "all", "predicates": []},
	"masked": fields.masked(fields.table(unfiltered), grants.here),
	"deprecated": _deprecated(unfiltered),
} if {
	unfiltered := _unfiltered(action)
	grants.granted(unfiltered, grants.here)
} else := {
	"allow": true,
	"grants": sort(grants.matched(action, grants.here)),
	"filter": {"mode": _mode(predicates), "predicates": predicates},
	"masked": _masked_by_all(predicates),
	"deprecated": _deprecated(action),
} if {
	subject.project
	grants.granted(action, grants.here)
	predicates := _predicates(action)
} else := {
	"allow": false,
	"grants": [],
	"filter": {"mode": "none", "predicates": []},
	"masked": [],
	"deprecated": [],
}

# The resources that the caller may link a resource to: the nodes that it lists, and by `project_id` what belongs to its project.
linkable := _nodes.filter if {
	_nodes.filter.mode == "all"
} else := {"mode": "any_of", "predicates": array.concat(_nodes.filter.predicates, [own])} if {
	own := {"field": "project_id", "op": "eq", "value": subject.project, "masked": []}
} else := {"mode": "none", "predicates": []}

_nodes := answer(data.tenure.resources.node.list)

_deprecated(action) := sort(grants.deprecated(action, grants.here)) if {
	grants.legacy
} else := []

# The action that lifts the row filter; an action without one and without `match` is that action itself.
_unfiltered(action) := unfiltered if {
	unfiltered := data.tenure.actions[action].all
} else := action if {
	not data.tenure.actions[action].match
}

_predicates(action) := [predicate |
	some column in data.tenure.actions[action].match
	_gettable(action, column)
	predicate := {
		"field": column.field,
		"op": "eq",
		"value": _value(column),
		"masked": _masked(action, column),
	}
]

_masked(action, column) := fields.masked(fields.table(action), grants.related_as(_relations(column))) if {
	not column.hides
} else := sort({field |
	some field in array.concat(column.hides, fields.masked(fields.table(action), grants.related_as(_relations(column))))
})

# A list has only rows that the caller can get: a row that would answer 404 is not in it.
_gettable(action, _) if not data.tenure.actions[action].get

_gettable(action, column) if grants.granted(data.tenure.actions[action].get, grants.related_as(_relations(column)))

_mode([]) := "none"

_mode(predicates) := "any_of" if count(predicates) > 0

# Undefined, and so no predicate, for a resource to which the caller does not have the relation of the column.
_value(column) := column.value

_value(column) := subject.project if {
	not column.value
	not column.this
}

_value(column) := input.resource.id if {
	column.this
	relation.of_caller[column.relation]
	relation.is_id(input.resource.id)
}

# The relation that a caller has to a row which matched this column.
_relations(column) := {name} if {
	name := column.relation
} else := set()

_masked_by_all(predicates) := sort([field |
	some field in predicates[0].masked
	every predicate in predicates {
		field in predicate.masked
	}
])
