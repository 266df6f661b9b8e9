# METADATA
# title: Authorization, the compute service
# description: The calls of nova-compute work for each account it may have, on any node; other calls are refused.
package tenure.authz_nova_test

import data.tenure.testing

accounts := ["svc_elev", "sys_service", "sys_member"]

nodes := [
	{"type": "node", "owner": null, "lessee": null},
	{"type": "node", "owner": "p-1", "lessee": null},
	{"type": "node", "owner": "p-1", "lessee": "p-2"},
]

# Its 21 calls, as actions on a node.
calls := [
	"baremetal:node:get", "baremetal:node:validate", "baremetal:node:set_provision_state",
	"baremetal:node:set_power_state", "baremetal:node:vif:attach", "baremetal:node:vif:detach",
	"baremetal:node:get_console", "baremetal:node:set_console_state", "baremetal:node:inject_nmi",
	"baremetal:volume:create", "baremetal:volume:delete", "baremetal:node:get:last_error",
	"baremetal:node:get:driver_internal_info",
]

test_it_creates_volume_targets_with_their_properties if {
	every name in accounts {
		every node in nodes {
			target := testing.decide_as(name, {
				"action": "baremetal:volume:create",
				"resource": object.union(node, {"type": "volume_target"}),
				"fields": ["/node_uuid", "/volume_type", "/boot_index", "/volume_id", "/properties/target_iqn"],
			})
			target.allow
		}
	}
}

lists := ["baremetal:node:list", "baremetal:port:list", "baremetal:portgroup:list", "baremetal:volume:list"]

test_each_call_works_on_each_node if {
	every name in accounts {
		every node in nodes {
			decisions := testing.decide_all_as(name, {"actions": calls, "resource": node})
			every action in calls {
				decisions[action].allow
				decisions[action].visible
				decisions[action].fields.masked == []
			}
		}
	}
}

test_it_lists_the_whole_fleet if {
	every name in accounts {
		decisions := testing.decide_all_as(name, {"actions": lists, "resource": {"type": "none"}})
		every action in lists {
			decisions[action].filter == {"mode": "all", "predicates": []}
			decisions[action].fields.masked == []
		}
	}
}

patch(name, node, fields) := testing.decide_as(name, {
	"action": "baremetal:node:update",
	"resource": node,
	"fields": fields,
})

test_it_claims_and_cleans_up_a_node if {
	every name in accounts {
		every node in nodes {
			patch(name, node, ["/instance_uuid"]).allow
			patch(name, node, ["/instance_info/image_source", "/instance_info/display_name"]).allow
			patch(name, node, ["/instance_uuid", "/instance_info"]).allow
		}
	}
}

never := [
	"baremetal:node:create", "baremetal:node:delete", "baremetal:port:create", "baremetal:node:traits:set",
	"baremetal:node:vendor_passthru", "baremetal:chassis:create",
]

test_it_never_creates_deletes_or_moves_a_node if {
	every name in ["svc_elev", "sys_service"] {
		every node in nodes {
			decisions := testing.decide_all_as(name, {"actions": never, "resource": node})
			every action in never {
				decisions[action].allow == false
				decisions[action].visible == true
			}
			patch(name, node, ["/shard"]).denied == ["baremetal:node:update:shard"]
			patch(name, node, ["/chassis_uuid"]).denied == ["baremetal:node:update:chassis_uuid"]
			patch(name, node, ["/owner"]).denied == ["baremetal:node:update:owner"]
		}
	}
}

test_with_the_switch_off_its_account_sees_nothing if {
	every node in nodes {
		testing.decide_as("svc_plain", {"action": "baremetal:node:get", "resource": node}).visible == false
	}
}
