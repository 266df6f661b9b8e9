# METADATA
# title: Custom rules
# description: An operator's own rules, in place of rows of the action table. These are the default ones, which replace none.
# schemas:
#   - input: schema.question
package tenure.custom

# Names of the actions that `granted` decides, and nothing else does.
# As a union, the empty set is one of any type to the compiler.
overridden := set() | set()

granted(_, _) := false
