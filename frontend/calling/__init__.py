"""What happens in a call, before and after the compiled code: guards, plain inputs, eager reruns."""
