package tenure.oslo_test

import data.tenure.oslo

_view := {
	"project_id": "p1",
	"project_name": "None",
	"roles": {"member"},
	"target": {"node.owner": "p1", "node.lessee": "None"},
	"nobody": {"allocation.owner"},
}

test_none_is_what_a_caller_lacks if {
	oslo.is_none(_view, "domain_id")
	not oslo.is_none(_view, "project_id")
}

test_none_is_also_what_is_called_so if {
	oslo.is_none(_view, "project_name")
	oslo.target_is_none(_view, "node.lessee")
}

test_the_owner_of_an_unowned_resource_is_none if {
	oslo.target_is_none(_view, "allocation.owner")
	not oslo.target_is_none(_view, "node.owner")
}

test_a_key_that_a_target_has_not_is_not_even_none if not oslo.target_is_none(_view, "runbook.owner")

test_text_of_a_key if {
	oslo.text(_view, "node.owner") == "p1"
	oslo.text(_view, "allocation.owner") == "None"
	not oslo.text(_view, "runbook.owner")
}

test_what_a_caller_lacks_is_none_in_a_target_too if {
	oslo.target_is_none(_view, "domain_id")
	not oslo.target_is_none({"target": {"domain_id": "d"}}, "domain_id")
}
