import FileProviderCore
import Logging
import Shelf

/// What an answer depends on besides the request.
struct ShelfContext: Sendable {
    let shelf: Shelf
    let people: PeopleStore
    let files: BookFiles
    let books: OpenBooks
    /// Who is logged in; nil on a server without logins, and for the few addresses that need none.
    let user: User?
    /// Scheme, host, port and base path as the client knows them; ends with a slash.
    let address: String
    /// The path in front of all addresses of this server; begins and ends with a slash.
    let base: String
    /// The name of the shelf.
    let title: String
    let key: ShelfKey
    /// What forms send back in a field `token`: a value that other sites don't know.
    let formToken: String
    /// The address of the client, or what a trusted proxy says of it; ``LoginCheck`` counts wrong logins from it.
    let client: String
    let logins: LoginCheck
    /// Limits how many pictures are read and scaled at once.
    let pictureTurns: PictureTurns
    let settings: Settings
    let logger: Logger?

    /// What the configuration says to all answers.
    struct Settings: Sendable {
        /// Whether no one logs in.
        var isOpen = false
        /// Whether KOReader may create accounts.
        var allowsRegistration = false
        /// Whether scripts of publications run.
        var allowsScripts = false
        /// The widest picture that page streaming makes.
        var maxPageWidth = 2_400
    }

    /// Scheme, host and port as the client knows them, without a slash at the end.
    var origin: String { String(address.dropLast(base.count)) }

    /// Whether the client knows the server by HTTPS.
    var isSecure: Bool { address.hasPrefix("https:") }

    /// Whose places are read and kept.
    var reader: User { user ?? .everyone }

    /// The places of ``reader``.
    var places: ReaderPlaces { places(of: reader) }

    /// The places of a person.
    func places(of user: User) -> ReaderPlaces { ReaderPlaces(shelf: shelf, people: people, user: user) }
}
