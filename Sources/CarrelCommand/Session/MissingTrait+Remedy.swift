import Carrel

extension MissingTrait {
    /// How to build a `carrel` with this trait in addition to the default ones.
    ///
    /// A verb that needs a trait throws ``MissingTrait`` in a build without it; the exit code is ``ExitStatus/usage``.
    var remedy: String { "To get one with it: swift build -c release --product carrel --traits default,\(name)" }
}
