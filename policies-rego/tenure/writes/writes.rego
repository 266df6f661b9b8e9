# METADATA
# title: Writes
# description: The rules for a create or an update, and the relation by which it is judged.
# schemas:
#   - input: schema.question
package tenure.writes

import data.tenure.fields
import data.tenure.grants
import data.tenure.question
import data.tenure.relation
import data.tenure.subject

creates(route) if data.tenure.actions[route].kind == "create"

# Creates, and the action that is a table's general one.
judged(route) if {
	creates(route)
	_table(route).update
}

judged(route) if _table(route).update == route

# An update that names its fields needs their actions; the general one only for fields that have no other.
by_fields_alone(route) if {
	judged(route)
	not creates(route)
	question.fields_given
	not _table(route).always
}

# The actions that the fields need. A create cannot overwrite a masked value, for there is none.
needed(route, caller) := fields.needed(fields.table(route), _exempt(route)) if {
	judged(route)
	creates(route)
} else := array.concat(fields.needed(name, _exempt(route)), fields.unseen(name, caller)) if {
	judged(route)
	name := fields.table(route)
} else := []

# Every action that has to be granted.
actions(route, caller) := needed(route, caller) if {
	by_fields_alone(route)
} else := array.concat([route], needed(route, caller))

# The caller does not choose the owner of a resource that it creates in its own project.
_exempt(route) := {"owner"} if {
	in_own_project(route)
} else := set()

# ---- As whom: what is created is judged as if it stood already

caller(route) := grants.related_as({name}) if {
	creates(route)
	judged(route)
	_becomes_owner(route)
	name := data.tenure.resources[fields.table(route)].relations.owner
} else := grants.here

_becomes_owner(route) if in_own_project(route)

# A resource without an owner column belongs to a resource that has one already.
_becomes_owner(route) if {
	not in_own_project(route)
	is_string(_table(route).write.owner)
	relation.same(question.requested_owner, subject.project)
}

# Rows with `own_project_unless`: the caller acts for its own project, unless one of those grants matched.
in_own_project(route) if {
	free := data.tenure.actions[route].own_project_unless
	matched := grants.matched(route, grants.here)
	count({name | some name in free} & matched) == 0
	not _free_by_custom_rule(free, matched)
}

# A custom rule names no grant. It frees only who has no project to act in, and only where somebody can be free.
_free_by_custom_rule(free, matched) if {
	matched.custom
	subject.scope == "system"
	count(free) > 0
}

_table(route) := data.tenure.fields.tables[fields.table(route)]
