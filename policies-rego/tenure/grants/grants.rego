# METADATA
# title: Grants
# description: Named ways to be allowed, and who has them. The only place that knows roles by name.
# schemas:
#   - input: schema.question
package tenure.grants

import data.tenure.question
import data.tenure.relation
import data.tenure.subject

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

_anywhere contains "service_elevated" if {
	data.tenure.switches.rbac_service_role_elevated_access == true
	subject.roles.service
	subject.in_project_called(data.tenure.switches.rbac_service_project)
}

_anywhere contains "runbook_public" if {
	question.resource_type == "runbook"
	input.resource.public == true
	subject.scope == "project"
	some role in ["reader", "service"]
	_roles[role]
}

_anywhere contains name if {
	_legacy
	some name in _deprecated
}

_anywhere contains name if {
	_legacy
	subject.in_admin_project
	some held, name in {
		"legacy_admin": "legacy_admin_project",
		"legacy_baremetal_admin": "legacy_admin_project",
		"legacy_observer": "legacy_observer_project",
	}
	_deprecated[held]
}

_legacy if data.tenure.switches.enforce_new_defaults == false

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
	subject.in_project_called(name)
	subject.in_default_domain
}

# Where the caller stands whatever the resource.
_standing contains subject.scope if subject.scope != "none"

# What the caller holds where it has these relations.
held(places) := _anywhere | {name |
	some place in (_standing | places)
	some role in _roles
	name := concat("_", [place, role])
}

# What the caller holds on the resource of the question.
here := held(relation.places)

# Grants of the row of this action that are among those held.
matched(action, holding) := {name |
	row := data.tenure.actions[action]
	_counts(row)
	some name in _list(row)
	holding[name]
}

granted(action, holding) if {
	row := data.tenure.actions[action]
	_counts(row)
	some name in _list(row)
	holding[name]
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
	_legacy
	row.legacy
} else := row.grants
