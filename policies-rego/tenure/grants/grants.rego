# METADATA
# title: Grants
# description: Named ways to be allowed, and who has them. The only place that knows roles by name.
# schemas:
#   - input: schema.question
package tenure.grants

import data.tenure.custom
import data.tenure.question
import data.tenure.relation
import data.tenure.subject
import data.tenure.view

# A role, and those it covers. A token may name only the strongest.
_covers := {
	"admin": ["admin", "manager", "member", "reader"],
	"manager": ["manager", "member", "reader"],
	"member": ["member", "reader"],
	"reader": ["reader"],
	"service": ["service"],
}

_roles contains role if {
	some named in subject.roles
	some role in _covers[named]
}

# Grants that do not depend on a relation.
_anywhere contains "public"

_anywhere contains name if {
	_elevated
	some name in ["nova_service", "service_elevated"]
}

_elevated if {
	data.tenure.switches.rbac_service_role_elevated_access == true
	subject.roles.service
	subject.in_service_project
}

_anywhere contains "nova_service" if {
	subject.scope == "system"
	subject.roles.service
}

_anywhere contains "creator" if _creator

_anywhere contains "creator_and_project" if {
	_creator
	relation.of_caller.server_project
}

# Whoever has no role any more, or no proper scope, has made nothing that counts.
_creator if {
	relation.created
	subject.scope != "none"
	count(_roles) > 0
}

_anywhere contains "runbook_public" if {
	question.resource_type == "runbook"
	input.resource.public == true
	subject.scope == "project"
	some role in ["reader", "service"]
	_roles[role]
}

_anywhere contains name if {
	legacy
	some name in _deprecated
}

_anywhere contains name if {
	legacy
	subject.in_admin_project
	some role, name in {
		"legacy_admin": "legacy_admin_project",
		"legacy_baremetal_admin": "legacy_admin_project",
		"legacy_observer": "legacy_observer_project",
	}
	_deprecated[role]
}

legacy if data.tenure.switches.enforce_new_defaults == false

_deprecated contains "legacy_admin" if {
	subject.scope != "none"
	some role in ["admin", "administrator"]
	subject.roles[role]
}

_deprecated contains "legacy_baremetal_admin" if {
	_baremetal_project
	subject.roles.baremetal_admin
}

_deprecated contains "legacy_observer" if {
	_baremetal_project
	some role in ["observer", "baremetal_observer"]
	subject.roles[role]
}

_baremetal_project if {
	some name in ["baremetal", "demo"]
	subject.in_project_named(name)
	subject.in_default_domain
}

# Relations of the caller that do not depend on the resource.
_scope contains subject.scope if subject.scope != "none"

# What the caller holds on the resource of the question: {grants}.
here := {"grants": _grants_of(relation.of_caller)}

# The grants that the caller would have on a resource to which it has these relations: {grants, relations}.
related_as(relations) := {"grants": _grants_of(relations), "relations": relations}

_grants_of(relations) := _anywhere | {name |
	some related in (_scope | relations)
	some role in _roles
	name := concat("_", [related, role])
}

# Grants of the row of this action that the caller has; of a custom rule `custom`.
matched(action, caller) := {"custom" | granted(action, caller)} if {
	custom.overridden[action]
} else := {name |
	row := data.tenure.actions[action]
	_counts(row)
	some name in _list(row)
	caller.grants[name]
}

granted(action, caller) if {
	not custom.overridden[action]
	row := data.tenure.actions[action]
	_counts(row)
	some name in _list(row)
	caller.grants[name]
} else if {
	custom.overridden[action]
	row := data.tenure.actions[action]
	_counts(row)
	_may_be_custom(row)
	custom.granted(action, _view(row, caller))
}

# Who has no proper scope has no more than is public, whatever a custom rule says.
_may_be_custom(_) if subject.scope != "none"

_may_be_custom(row) if "public" in row.grants

# The input of a custom rule: the resource of the question, or one to which the caller's project has a relation.
_view(row, caller) := view.of(row, {each: subject.project | some each in caller.relations}) if {
	caller.relations
} else := view.of(row, relation.target) if {
	"public" in row.grants
} else := view.here

# The deprecated grants that allow this action, if nothing else does.
deprecated(action, caller) := {name |
	row := data.tenure.actions[action]
	_counts(row)
	some name in row.legacy
	caller.grants[name]
} if {
	not custom.overridden[action]
	not _granted_today(action, caller)
}

_granted_today(action, caller) if {
	some name in data.tenure.actions[action].grants
	caller.grants[name]
}

# Whether the row counts at all under the present switches and scope.
counts(action) if _counts(data.tenure.actions[action])

_counts(row) if {
	_scope_fits(row)
	_switched_on(row)
}

_scope_fits(row) if not row.scope

_scope_fits(row) if row.scope == subject.scope

_scope_fits(_) if data.tenure.switches.enforce_scope == false

_switched_on(row) if not row.switch

_switched_on(row) if data.tenure.switches[row.switch] == true

_list(row) := array.concat(row.grants, row.legacy) if {
	legacy
	row.legacy
} else := row.grants
