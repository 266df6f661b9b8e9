# METADATA
# title: Subject, tests
# description: Scopes and roles of well-formed and of strange tokens.
package tenure.subject_test

import data.tenure.subject

facts(claims) := {"scope": scope, "roles": roles} if {
	scope := subject.scope with input as {"subject": claims}
	roles := subject.roles with input as {"subject": claims}
}

test_a_system_scope_is_all_and_nothing_else if {
	facts({"system_scope": "all", "roles": ["Admin"]}) == {"scope": "system", "roles": {"admin"}}
	facts({"system_scope": "all", "project_id": null, "domain_id": null}) == {"scope": "system", "roles": set()}
	every scope in ["ALL", "", "some", true, 1, null, ["all"]] {
		facts({"system_scope": scope, "roles": ["admin"]}).scope == "none"
	}
}

test_a_project_is_a_string_with_something_in_it if {
	facts({"project_id": "p", "roles": []}) == {"scope": "project", "roles": set()}
	every project in ["", null, 0, 7, false, ["p"], {"id": "p"}] {
		facts({"project_id": project}).scope == "none"
	}
}

test_two_scopes_are_none if {
	every claims in [
		{"project_id": "p", "system_scope": "all"},
		{"project_id": "p", "system_scope": ""},
		{"project_id": "p", "domain_id": "d"},
		{"system_scope": "all", "domain_id": "d"},
		{"system_scope": "all", "project_id": ""},
		{"system_scope": "all", "domain_id": false},
		{"domain_id": "d"},
		{},
	] {
		facts(claims).scope == "none"
	}
}

test_no_subject_has_no_scope_and_no_role if {
	every claims in [null, "admin", 5, [], [{"system_scope": "all"}]] {
		facts(claims) == {"scope": "none", "roles": set()}
	}
}

test_roles_are_read_in_any_case_and_from_arrays_only if {
	facts({"roles": ["ADMIN", "Member", "x"]}).roles == {"admin", "member", "x"}
	facts({"roles": ["member", 5, null, ["admin"]]}).roles == {"member"}
	every roles in ["admin", {"a": "admin"}, null, 1] {
		facts({"roles": roles}).roles == set()
	}
}

test_a_letter_that_only_looks_like_ascii_in_lower_case_is_no_role if {
	facts({"roles": ["ADM\u0130N", " admin", "admin\u0000"]}).roles == {" admin", "admin\u0000"}
}

test_a_name_is_compared_with_names_only if {
	subject.in_project_named("service") with input as {"subject": {"project_id": "5f", "project_name": "service"}}
	not subject.in_project_named("service") with input as {"subject": {"project_id": "service"}}
	not subject.in_project_named("service") with input as {"subject": {"project_id": "service", "project_name": "other"}}
	not subject.in_project_named("service") with input as {"subject": {"project_name": "service"}}
	not subject.in_project_named("") with input as {"subject": {"project_id": "p", "project_name": ""}}
	not subject.in_project_named("service") with input as {"subject": {"system_scope": "all", "project_name": "service"}}
}

in_service_project(claims, switches) if {
	subject.in_service_project with input as {"subject": claims}
		with data.tenure.switches as object.union(data.tenure.switches, switches)
}

_services := {"project_id": "5f", "project_name": "service", "project_domain_id": "default"}

test_the_service_project_is_a_name_within_a_domain if {
	in_service_project(_services, {})
	in_service_project(_services, {"rbac_service_project_id": null})
	every claims in [
		object.union(_services, {"project_domain_id": "other"}),
		object.union(_services, {"project_domain_id": "Default"}),
		object.union(_services, {"project_domain_id": ""}),
		object.union(_services, {"project_domain_id": null}),
		object.remove(_services, ["project_domain_id"]),
		object.union(_services, {"project_name": "Service"}),
		object.union(_services, {"project_id": "service", "project_name": "other"}),
		{"project_id": "service", "project_domain_id": "default"},
		object.union(_services, {"system_scope": "all"}),
		object.remove(_services, ["project_id"]),
	] {
		not in_service_project(claims, {})
	}
}

test_the_domain_of_the_service_project_is_a_switch if {
	elsewhere := {"rbac_service_project_domain": "d1"}
	in_service_project(object.union(_services, {"project_domain_id": "d1"}), elsewhere)
	not in_service_project(_services, elsewhere)
	not in_service_project(_services, {"rbac_service_project_domain": ""})
	not in_service_project(object.union(_services, {"project_domain_id": ""}), {"rbac_service_project_domain": ""})
}

test_an_id_of_the_service_project_is_compared_with_ids_only if {
	by_id := {"rbac_service_project_id": "5f"}
	in_service_project({"project_id": "5f"}, by_id)
	in_service_project(object.union(_services, {"project_domain_id": "other"}), by_id)
	not in_service_project(object.union(_services, {"project_id": "6a"}), by_id)
	not in_service_project({"project_id": "6a", "project_name": "5f", "project_domain_id": "default"}, by_id)
	not in_service_project(_services, {"rbac_service_project_id": ""})
	not in_service_project({"project_id": ""}, {"rbac_service_project_id": ""})
}

test_the_default_domain if {
	subject.in_default_domain with input as {"subject": {}}
	subject.in_default_domain with input as {"subject": {"project_domain_id": null}}
	subject.in_default_domain with input as {"subject": {"project_domain_id": "default"}}
	not subject.in_default_domain with input as {"subject": {"project_domain_id": "other"}}
	not subject.in_default_domain with input as {"subject": {"project_domain_id": ""}}
}

test_the_admin_project_is_never_assumed if {
	subject.in_admin_project with input as {"subject": {"is_admin_project": true}}
	every said in [null, false, "true", 1] {
		not subject.in_admin_project with input as {"subject": {"is_admin_project": said}}
	}
	not subject.in_admin_project with input as {"subject": {}}
}
