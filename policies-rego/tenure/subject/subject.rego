# METADATA
# title: Subject
# description: Facts of the caller. Knows no role by name.
# schemas:
#   - input: schema.question
package tenure.subject

import data.tenure.relation

# Exactly one scope counts. Domain-scoped and unscoped tokens, and tokens with two scopes, have none.
default scope := "none"

scope := "system" if {
	input.subject.system_scope == "all"
	not _project_id_given
	not _domain_id_given
}

scope := "project" if {
	relation.is_id(input.subject.project_id)
	not _system_scope_given
	not _domain_id_given
}

# Undefined unless the token is scoped to a project.
project := input.subject.project_id if scope == "project"

roles contains lowered if {
	is_array(input.subject.roles)
	some role in input.subject.roles
	is_string(role)
	lowered := lower(role)

	# Letters such as the dotted capital I become ASCII when lowered: they are not another case of it.
	upper(lowered) == upper(role)
}

# A name is compared with names only: whoever makes a project chooses its name, and in some clouds its id as well.
in_project_named(name) if {
	scope == "project"
	relation.same(name, input.subject.project_name)
}

# The project of the services by its id alone where one is configured, else by its name within its domain.
in_service_project if {
	_service_project_has_id
	relation.same(data.tenure.switches.rbac_service_project_id, project)
}

in_service_project if {
	not _service_project_has_id
	in_project_named(data.tenure.switches.rbac_service_project)
	in_service_domain
}

# A token that does not say its domain is not in it: a name means something only within a domain.
in_service_domain if {
	scope == "project"
	relation.same(data.tenure.switches.rbac_service_project_domain, input.subject.project_domain_id)
}

# Of the deprecated rules: a token that does not say in which domain its project is counts as being in the default one, as
# in Ironic.
in_default_domain if not _project_domain_id_given

in_default_domain if input.subject.project_domain_id == "default"

# Never taken for true because it is absent.
in_admin_project if input.subject.is_admin_project == true

# One rule each: a negated call whose argument is undefined is itself undefined.
_project_id_given if input.subject.project_id != null

_system_scope_given if input.subject.system_scope != null

_domain_id_given if input.subject.domain_id != null

_project_domain_id_given if input.subject.project_domain_id != null

_service_project_has_id if data.tenure.switches.rbac_service_project_id != null
