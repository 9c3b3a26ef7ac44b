public import FileProviderCore

/// One promise of the contracts and how it is tried. All of them are data: see ``all``.
public struct Behaviour: Sendable {
    /// What has to hold at a provider for a behaviour to be tried.
    public enum Requirement: Sendable, Hashable {
        /// Natively or derived.
        case ability(Capabilities.Ability)
        /// By the storage itself.
        case native(Capabilities.Ability)
        /// Declared unavailable: the behaviour looks how the operation fails.
        case unavailable(Capabilities.Ability)
        /// `a` and `A` are two files.
        case caseSensitivity
        /// Names of so many bytes.
        case nameLength(Int)
        /// ``Conformance/connect`` was given.
        case connection
    }

    /// A sentence that says what holds.
    public let name: String
    /// Without these the behaviour is skipped.
    public let requirements: [Requirement]
    /// Whether it works in a fresh folder of its own; else in the one the kit was given, where it changes nothing.
    public let needsFolder: Bool
    let body: @Sendable (Trial) async throws -> Void

    /// A behaviour that works in a fresh folder.
    init(_ name: String, _ requirements: Requirement..., body: @escaping @Sendable (Trial) async throws -> Void) {
        self.name = name
        self.requirements = requirements
        needsFolder = true
        self.body = body
    }

    /// A behaviour that changes nothing, in a folder that is there.
    init(lookingOnly name: String, _ requirements: Requirement..., body: @escaping @Sendable (Trial) async throws -> Void) {
        self.name = name
        self.requirements = requirements
        needsFolder = false
        self.body = body
    }

    /// Everything that the kit tries, in the order of a run.
    public static let all: [Behaviour] =
        capabilities + listing + folders + sizes + writing + sources + replacing + parts + reading + sinks + names + nameRules + moving
        + movingOnto + copying + copyingOnto + removing + completion + completionEndings + progress + concurrency + errors + missing

    /// Why a provider with these capabilities is not tried; nil when it is.
    func reasonToSkip(_ capabilities: Capabilities, hasConnect: Bool, hasFolder: Bool) -> String? {
        for requirement in requirements {
            if let reason = requirement.reasonToSkip(capabilities, hasConnect: hasConnect) { return reason }
        }
        guard needsFolder, !hasFolder else { return nil }
        let lacking: [Capabilities.Ability] = [.folderCreation, .removal].filter { !capabilities.has($0) }
        return lacking.first.map { "needs \($0.rawValue)" } ?? "the kit's own folder could not be made"
    }
}

extension Behaviour.Requirement {
    func reasonToSkip(_ capabilities: Capabilities, hasConnect: Bool) -> String? {
        switch self {
        case .ability(let ability): capabilities.has(ability) ? nil : "needs \(ability.rawValue)"
        case .native(let ability): capabilities[ability] == .native ? nil : "needs \(ability.rawValue) natively"
        case .unavailable(let ability): capabilities.has(ability) ? "\(ability.rawValue) is available" : nil
        case .caseSensitivity: capabilities.isCaseSensitive ? nil : "needs names that differ by case"
        case .nameLength(let length):
            capabilities.longestName.map { $0 >= length } ?? true ? nil : "needs names of \(length) bytes"
        case .connection: hasConnect ? nil : "needs a way to connect once more"
        }
    }
}
