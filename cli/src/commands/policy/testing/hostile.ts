import { type JsonObject, policyDataOf } from '@tenure/policy';
import { compileWasmPolicy } from '@tenure/policy/runtime';
import { buildRego, unpackBundle } from '@tenure/policy/testing';
import { type LoadedPolicy } from '../policy-options.js';

/**
 * A policy that refuses everything except for one grant (`gift`), selected in its data. Each breaks the invariant of its name.
 */
const REGO = `package tenure.authz

_denial := {
  "allow": false, "visible": false, "reason": "not_granted", "grants": [], "denied": [],
  "filter": {"mode": "none", "predicates": []}, "fields": {"masked": [], "read_only": []}, "set": {},
}

_allowed := {"allow": true, "visible": true, "reason": "granted", "grants": ["gift"]}

# METADATA
# entrypoint: true
# scope: document
decision := _answer(input.action)

# METADATA
# entrypoint: true
# scope: document
batch := {action: _answer(action) | some action in input.actions}

_answer(action) := object.union(_denial, _gift(data.tenure.gift, action)) if _gift(data.tenure.gift, action)
else := _denial

_ladder := {"reader": 1, "member": 2, "manager": 3, "admin": 4}
_from(weakest) if {
  some role in input.subject.roles
  _ladder[role] >= _ladder[weakest]
}
_project if {
  is_string(input.subject.project_id)
  input.subject.project_id != ""
  input.subject.system_scope == null
}
_system if {
  input.subject.system_scope == "all"
  input.subject.project_id == null
}
_owner if {
  _project
  input.resource.owner == input.subject.project_id
}

_gift("third-parties-reach-no-node", "baremetal:node:get") := _allowed if { _project; _from("member") }
_gift("third-parties-reach-nothing-owned", "baremetal:allocation:get") := _allowed if { _project; _from("reader") }
_gift("lists-stay-in-the-project", "baremetal:node:list") := object.union(_allowed, {"filter": {
  "mode": "any_of", "predicates": [{"field": "owner", "op": "eq", "value": "elsewhere"}],
}}) if { _project; _from("reader") }
_gift("projects-create-for-themselves", "baremetal:allocation:create") := _allowed if {
  _project
  _from("member")
  input.requested.owner == "other-owner"
}
_gift("projects-enrol-no-nodes", "baremetal:node:delete") := _allowed if { _owner; _from("admin") }
_gift("readers-change-nothing", "baremetal:node:set_power_state") := _allowed if { _owner; _from("reader") }
_gift("services-build-no-fleet", "baremetal:port:create") := _allowed if { _system; "service" in input.subject.roles }
_gift("no-relation-no-access", "baremetal:node:get") := _allowed if input.subject.domain_id != null
_gift("old-roles-count-for-nothing", "baremetal:node:get") := _allowed if { _system; "baremetal_observer" in input.subject.roles }
_gift("masked-is-not-writable", "baremetal:node:update") := object.union(_allowed, {
  "fields": {"masked": ["driver_info"], "read_only": []},
}) if { _system; _from("member") }
_gift("allowed-is-visible", "baremetal:node:get") := object.union(_allowed, {"visible": false}) if { _system; _from("reader") }
_gift("stronger-covers-weaker", "baremetal:node:get") := _allowed if { _system; "reader" in input.subject.roles }
_gift("more-roles-never-less", "baremetal:node:get") := _allowed if { _system; _from("reader"); count(input.subject.roles) == 1 }
_gift("null-ids-match-nobody", "baremetal:node:get") := _allowed if { _system; _from("reader"); input.resource.owner == null }
_gift("lists-show-only-what-get-shows", "baremetal:node:list") := object.union(_allowed, {"filter": {"mode": "all", "predicates": []}}) if { _system; _from("reader") }
_service if {
  _project
  "service" in input.subject.roles
  data.tenure.switches.rbac_service_role_elevated_access == true
}
_gift("name-without-domain", "baremetal:node:get") := _allowed if { _service; input.subject.project_name == "service" }
_gift("id-taken-for-a-name", "baremetal:node:get") := _allowed if { _service; input.subject.project_id == "service" }
_gift("no answer at all", _) := {"allow": "perhaps"}
`;

const row = (kind: string, table?: string): JsonObject => ({
  kind,
  grants: ['gift'],
  ...(table !== undefined && { table }),
});

const onNode = { relations: { owner: 'owner', lessee: 'lessee' }, get: 'baremetal:node:get' };

const DATA = {
  tenure: {
    gift: 'none',
    actions: {
      'baremetal:node:get': row('item'),
      'baremetal:node:list': row('list'),
      'baremetal:node:update': row('item', 'node'),
      'baremetal:node:delete': row('item'),
      'baremetal:node:set_power_state': row('item'),
      'baremetal:port:create': row('create'),
      'baremetal:allocation:get': row('item'),
      'baremetal:allocation:create': row('create'),
    },
    grants: { catalogue: { gift: '' } },
    resources: {
      node: onNode,
      port: onNode,
      allocation: { relations: { owner: 'allocation_owner' }, get: 'baremetal:allocation:get' },
    },
    fields: {
      tables: {
        node: {
          other: 'baremetal:node:update',
          write: { driver_info: 'baremetal:node:update', name: 'baremetal:node:update' },
        },
      },
    },
    switches: {
      enforce_scope: true,
      enforce_new_defaults: true,
      project_admin_can_manage_own_nodes: false,
      rbac_service_role_elevated_access: false,
      rbac_service_project: 'service',
    },
  },
};

/** Builds the policy once, and returns a function that loads it with one gift. Needs `opa` on PATH. */
export async function buildHostile(): Promise<(gift: string) => LoadedPolicy> {
  const { wasm } = await unpackBundle(buildRego(REGO, DATA));
  const make = await compileWasmPolicy(wasm, { maximumPages: 512 });
  return (gift) => {
    const data: JsonObject = { tenure: { ...DATA.tenure, gift } };
    return {
      material: { wasm, data, overlays: [], sources: {} },
      data,
      revision: 'sha256:test',
      under: (switches) => make(policyDataOf({ data, overlays: [] }, switches)),
    };
  };
}
