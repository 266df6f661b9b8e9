package tenure.view_test

import data.tenure.switches
import data.tenure.view

_subject := {"user_id": "u1", "project_id": "p1", "system_scope": null, "domain_id": null, "roles": ["service"]}

_of(owner) := custom_view if {
	custom_view := view.of({"grants": []}, {"owner": owner}) with input as {"subject": _subject}
}

test_an_owner_that_is_null_is_nobody if {
	_of(null).nobody == {"node.owner"}
	not _of(null).target["node.owner"]
}

test_an_owner_is_somebody if {
	_of("p2").nobody == set()
	_of("p2").target["node.owner"] == "p2"
}

test_the_service_project_is_visible_while_it_counts_for_more if {
	on := object.union(switches, {"rbac_service_role_elevated_access": true, "rbac_service_project": "nova"})
	_service_project_visible_to({"project_domain_id": "default"}, on) == "nova"
	not _service_project_visible_to({"project_domain_id": "other"}, on)
	not _service_project_visible_to({}, on)
}

test_a_service_project_configured_by_id_has_its_name_for_itself_only if {
	on := object.union(switches, {"rbac_service_role_elevated_access": true, "rbac_service_project_id": "p1"})
	own := {"project_name": "nova", "project_domain_id": "other"}
	_service_project_visible_to(own, on) == "nova"
	not _service_project_visible_to(object.union(own, {"project_id": "p2"}), on)
	not _service_project_visible_to({"project_domain_id": "default"}, on)
}

_service_project_visible_to(claims, on) := name if {
	custom_view := view.of({"grants": []}, {"owner": null}) with data.tenure.switches as on
		with input as {"subject": object.union(_subject, claims)}
	name := custom_view.target["config.service_project_name"]
}

test_the_service_project_is_not_visible_by_default if {
	not _of(null).target["config.service_project_name"]
}
