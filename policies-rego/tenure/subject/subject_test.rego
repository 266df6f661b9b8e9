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

test_a_project_goes_by_id_or_name if {
	subject.in_project_called("service") with input as {"subject": {"project_id": "service"}}
	subject.in_project_called("service") with input as {"subject": {"project_id": "5f", "project_name": "service"}}
	not subject.in_project_called("service") with input as {"subject": {"project_name": "service"}}
	not subject.in_project_called("") with input as {"subject": {"project_id": "p", "project_name": ""}}
	not subject.in_project_called("service") with input as {"subject": {"system_scope": "all", "project_name": "service"}}
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
