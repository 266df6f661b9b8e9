# METADATA
# title: Testing
# description: Callers and resources that the tests share.
package tenure.testing

system(role) := {"user_id": "u", "project_id": null, "system_scope": "all", "domain_id": null, "roles": [role]}

project(id, role) := {"user_id": "u", "project_id": id, "system_scope": null, "domain_id": null, "roles": [role]}

# The project by which services are elevated, as Keystone names it.
service_project(role) := object.union(
	project("p-service", role),
	{"project_name": "service", "project_domain_id": "default"},
)

subjects := {
	"sys_admin": system("admin"),
	"sys_manager": system("manager"),
	"sys_member": system("member"),
	"sys_reader": system("reader"),
	"sys_service": system("service"),
	"svc_elev": service_project("service"),
	"svc_plain": service_project("service"),
	"own_admin": project("p-owner", "admin"),
	"own_manager": project("p-owner", "manager"),
	"own_member": project("p-owner", "member"),
	"own_reader": project("p-owner", "reader"),
	"own_service": project("p-owner", "service"),
	"les_admin": project("p-lessee", "admin"),
	"les_manager": project("p-lessee", "manager"),
	"les_member": project("p-lessee", "member"),
	"les_reader": project("p-lessee", "reader"),
	"les_service": project("p-lessee", "service"),
	"3rd_admin": project("p-third", "admin"),
	"own_norole": {"project_id": "p-owner", "roles": []},
	"domain_admin": {"domain_id": "default", "roles": ["admin"]},
	"unscoped_admin": {"roles": ["admin"]},
	"nobody": null,
}

resource(type) := {"type": type, "owner": "p-owner", "lessee": "p-lessee", "tenancy_revision": 3}

decide(question) := answer if {
	answer := data.tenure.authz.decision with input as question
}

# The elevated service account is the plain one under another switch.
decide_as(name, question) := answer if {
	name == "svc_elev"
	request := object.union(question, {"subject": subjects[name]})
	answer := data.tenure.authz.decision with input as request
		with data.tenure.switches.rbac_service_role_elevated_access as true
} else := decide(object.union(question, {"subject": subjects[name]}))

decide_all_as(name, question) := answers if {
	name == "svc_elev"
	request := object.union(question, {"subject": subjects[name]})
	answers := data.tenure.authz.batch with input as request
		with data.tenure.switches.rbac_service_role_elevated_access as true
} else := answers if {
	request := object.union(question, {"subject": subjects[name]})
	answers := data.tenure.authz.batch with input as request
}

no_filter := {"mode": "none", "predicates": []}

refused(reason, visible, denied) := {
	"allow": false,
	"visible": visible,
	"reason": reason,
	"grants": [],
	"denied": denied,
	"filter": no_filter,
	"set": {},
}

granted(grants) := {
	"allow": true,
	"visible": true,
	"reason": "granted",
	"grants": grants,
	"denied": [],
	"filter": no_filter,
	"set": {},
}
