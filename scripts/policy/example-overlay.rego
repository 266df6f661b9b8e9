# METADATA
# title: Custom rules
# description: An example of an operator's own rules. The policy's checks build and test it.
# schemas:
#   - input: schema.question
package tenure.custom

import data.tenure.oslo

overridden := {
	"baremetal:allocation:create",
	"baremetal:conductor:get",
	"baremetal:node:get",
	"baremetal:node:list_all",
	"baremetal:node:set_power_state",
	"baremetal:node:update:driver_info",
}

granted("baremetal:allocation:create", view) if oslo.role(view, "member")

granted("baremetal:conductor:get", view) if {
	oslo.role(view, "reader")
	oslo.literal(view, "system_scope", "all")
}

granted("baremetal:node:get", view) if {
	oslo.role(view, "reader")
	oslo.literal(view, "system_scope", "all")
}

granted("baremetal:node:get", view) if oslo.matches(view, "project_id", "node.owner")

granted("baremetal:node:get", view) if oslo.matches(view, "project_id", "node.lessee")

granted("baremetal:node:list_all", view) if {
	oslo.role(view, "reader")
	oslo.literal(view, "system_scope", "all")
}

# Everybody who is not an admin.
granted("baremetal:node:set_power_state", view) if not oslo.role(view, "admin")

granted("baremetal:node:update:driver_info", view) if {
	oslo.role(view, "admin")
	oslo.matches(view, "project_id", "node.owner")
}
