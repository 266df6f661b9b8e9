# METADATA
# title: Obligations
# description: The conditions that the executing service must check when an action on a resource or a create was allowed.
# schemas:
#   - input: schema.question
package tenure.obligations

import data.tenure.fields
import data.tenure.grants
import data.tenure.listing
import data.tenure.question
import data.tenure.relation
import data.tenure.subject
import data.tenure.writes

# Values to write, whatever the body says.
values(route) := {"owner": subject.project} if {
	writes.in_own_project(route)
} else := {}

# What must be true of the resource. A resource that is being created is in no state yet.
conditions(route, caller) := array.concat(_of_state(route, caller), _of_handover(route, caller))

# A machine between two tenancies is used by nobody but those who mend what is in the way.
_of_handover(route, caller) := [condition] if {
	data.tenure.actions[route].heeds_handover
	lifting := data.tenure.resources[question.resource_type].handover
	not grants.granted(lifting, caller)
	condition := {"field": "handover_uuid", "op": "null", "action": lifting}
} else := []

_of_state(route, caller) := fields.conditions(fields.table(route), caller) if {
	writes.judged(route)
	not writes.creates(route)
} else := [condition |
	lock := data.tenure.resources[question.resource_type].lock
	not grants.granted(lock.bypassed_by, caller)
	some locker in _lockers(data.tenure.actions[route].lock, lock)
	condition := {"field": "locked_by", "op": "ne", "value": locker, "action": lock.bypassed_by}
] if {
	data.tenure.actions[route].lock
} else := []

# Whose locks an action heeds.
_lockers("any", lock) := [lock.by_project, lock.by_others]

_lockers("of_others", lock) := [lock.by_others] if relation.of_caller.server_project

_lockers("of_others", lock) := [lock.by_project] if not relation.of_caller.server_project

# The deprecated grants without which one of these actions would be refused.
deprecated(actions, caller) := sort({name |
	some action in actions
	some name in grants.deprecated(action, caller)
}) if {
	grants.legacy
} else := []

filter(route) := _filter(route, data.tenure.actions[route].filter) if {
	data.tenure.actions[route].filter
} else := {"mode": "none", "predicates": []}

_filter(_, "linkable") := listing.linkable

_filter(route, "rows") := listing.answer(route).filter

# Nodes that an allocation may take: those that its owner owns or leases, or any if it has no owner.
_filter(route, "nodes_of_owner") := _nodes_of(subject.project) if {
	writes.in_own_project(route)
} else := _nodes_of(question.requested_owner) if {
	relation.is_id(question.requested_owner)
} else := {"mode": "none", "predicates": []} if {
	question.requested_owner
} else := {"mode": "all", "predicates": []}

_nodes_of(project) := {"mode": "any_of", "predicates": [
	{"field": "owner", "op": "eq", "value": project, "masked": []},
	{"field": "lessee", "op": "eq", "value": project, "masked": []},
]}
