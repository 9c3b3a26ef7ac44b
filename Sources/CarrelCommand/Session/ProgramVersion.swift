/// The version of Carrel: the newest one in CHANGELOG.md.
enum ProgramVersion {
    static let text = "0.1.0"
}
