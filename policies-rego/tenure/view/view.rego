# METADATA
# title: View
# description: The input of a custom rule, spelt as rules of oslo.policy spell it. An id that is null or empty is not in it.
# schemas:
#   - input: schema.question
package tenure.view

import data.tenure.question
import data.tenure.relation
import data.tenure.subject

# `target` is the resource as grants.rego sees it: the real one, or one to which the caller's project has a relation.
# `nobody` names the relations that no project has to the resource, for rules that test for that.
of(row, target) := object.union(_caller, {
	"is_public_api": _text(_public(row)),
	"target": object.union(_base, {_key[name]: id |
		some name, id in target
		relation.is_id(id)
	}),
	"nobody": {_key[name] | some name, id in target; id == null},
})

# The same of the question's resource for a row that is not public: made once, however many actions the question has.
here := of({"grants": []}, relation.target)

_caller := object.union(_given(_attributes), {
	"roles": {role | some role in subject.roles; subject.scope != "none"},
	"is_admin_project": _text(_in_admin_project),
})

_attributes := ["user_id", "project_id", "project_name", "project_domain_id", "system_scope", "domain_id"]

# A target always holds who asks, too, and the service project while its services are elevated.
_own := object.union(_given(["user_id", "project_id", "system_scope", "domain_id"]), _service_project)

# Rules of Nova call the project and the user of a server by the names that the caller's have elsewhere.
_base := object.remove(_own, ["user_id", "project_id"]) if {
	data.tenure.resources[question.resource_type].creator
} else := _own

default _service_project := {}

# Rules of oslo.policy compare the name of the caller's project with it, and not the domain: it is there for callers of the
# right domain only, and where the project is configured by its id for that project only.
_service_project := {"config.service_project_name": data.tenure.switches.rbac_service_project} if {
	data.tenure.switches.rbac_service_role_elevated_access == true
	not _service_project_has_id
	subject.in_service_domain
}

_service_project := {"config.service_project_name": input.subject.project_name} if {
	data.tenure.switches.rbac_service_role_elevated_access == true
	_service_project_has_id
	subject.in_service_project
}

_service_project_has_id if data.tenure.switches.rbac_service_project_id != null

_given(names) := {name: id |
	some name in names
	id := input.subject[name]
	relation.is_id(id)
}

_key := {
	"owner": "node.owner",
	"lessee": "node.lessee",
	"allocation_owner": "allocation.owner",
	"runbook_owner": "runbook.owner",
	"server_project": "project_id",
	"server_creator": "user_id",
}

default _in_admin_project := false

_in_admin_project := subject.in_admin_project

default _public(_) := false

_public(row) if "public" in row.grants

_text(true) := "True"

_text(false) := "False"
