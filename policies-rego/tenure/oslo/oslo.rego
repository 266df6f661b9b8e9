# METADATA
# title: Checks of oslo.policy
# description: The checks of oslo.policy, for rules of a policy.yaml that are translated to Rego. Only "None" matches what is absent.
# schemas:
#   - input: schema.question
package tenure.oslo

import data.tenure.relation

# role:NAME. The token has this very role, in whatever case; no role covers another here.
role(view, name) if view.roles[lower(name)]

# ATTRIBUTE:%(KEY)s, such as project_id:%(node.owner)s.
matches(view, attribute, key) if relation.same(view[attribute], view.target[key])

# ATTRIBUTE:VALUE, such as system_scope:all.
literal(view, attribute, value) if relation.same(view[attribute], value)

# 'VALUE':%(KEY)s
target_is(view, value, key) if relation.same(value, view.target[key])
