import FileProviderConformance
import FileProviderCore
import Testing

/// One broken promise, and the behaviours with which the kit has to find it, each of them.
struct Flaw: Sendable, CustomTestStringConvertible {
    let name: String
    /// The names of the behaviours that find it.
    let behaviours: [String]
    /// Made anew for each run, because some flaws remember.
    let hooks: @Sendable () -> Hooks

    var testDescription: String { name }

    init(_ name: String, found behaviour: String, _ breaking: @escaping @Sendable (inout Hooks) -> Void) {
        self.init(name, found: [behaviour], breaking)
    }

    init(_ name: String, found behaviours: [String], _ breaking: @escaping @Sendable (inout Hooks) -> Void) {
        self.name = name
        self.behaviours = behaviours
        hooks = {
            var hooks = Hooks()
            breaking(&hooks)
            return hooks
        }
    }

    static let all =
        reading + listing + writing + arriving + appending + items + selfDescription + bytes + names + endings + crowds
}

extension Behaviour {
    /// The names of all behaviours of a group whose sentence has these words.
    static func names(_ group: Group, with words: String = "") -> [String] {
        all.filter { $0.group == group && $0.name.contains(words) }.map(\.name)
    }
}
