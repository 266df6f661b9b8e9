# A policy that misbehaves as its input asks it to.
package tenure.authz

# METADATA
# scope: document
# entrypoint: true
decision := {"n": count([1 | some a in numbers.range(1, input.size); some b in numbers.range(1, input.size); a * b == 17])} if {
	input.ask == "slow"
}

decision := {"n": count([[a, b] | some a in numbers.range(1, input.size); some b in numbers.range(1, input.size)])} if {
	input.ask == "memory"
}

decision := "one" if input.ask == "conflict"

decision := "two" if input.ask == "conflict"

decision if input.ask == "bare true"

decision := {"allow": true} if input.ask == "bare allow"

decision := {"echo": input} if input.ask == "echo"

# METADATA
# scope: document
# entrypoint: true
batch := {"input": input}
