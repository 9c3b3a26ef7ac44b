import FileProviderCore
import Testing

/// One broken promise, and the behaviour with which the kit has to find it.
struct Flaw: Sendable, CustomTestStringConvertible {
    let name: String
    /// The name of the behaviour that finds it.
    let behaviour: String
    /// Made anew for each run, because some flaws remember.
    let hooks: @Sendable () -> Hooks

    var testDescription: String { name }

    init(_ name: String, found behaviour: String, _ breaking: @escaping @Sendable (inout Hooks) -> Void) {
        self.name = name
        self.behaviour = behaviour
        hooks = {
            var hooks = Hooks()
            breaking(&hooks)
            return hooks
        }
    }

    static let all = reading + listing + writing + items + selfDescription
}
