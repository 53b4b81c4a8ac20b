// The example is a test file as a user writes it: its cases are registered, and run, here.
import '../../examples/test-agents.js';
