import Foundation

/// A part of a publication's content, in reading order: a paragraph, a heading, an image, the start of a printed page.
public struct ContentElement: Hashable, Sendable {
    /// What the element is.
    public enum Body: Hashable, Sendable {
        /// Text that stands by itself, such as a paragraph.
        case text(Text)
        /// A picture.
        case image(Media)
        /// A recording in the text.
        case audio(Media)
        /// A film in the text.
        case video(Media)
        /// Where a page of the printed book begins, with its number.
        case pageBreak(label: String?)
    }

    /// What part a text plays.
    public enum Role: Hashable, Sendable {
        /// Body text.
        case paragraph
        /// A heading; levels are 1 to 6.
        case heading(level: Int)
        /// An item of a list.
        case listItem
        /// Quoted text.
        case quotation
        /// The caption of a figure or a table.
        case caption
        /// A cell of a table.
        case tableCell
        /// Text whose white space counts.
        case preformatted
    }

    /// Where the element is.
    public var locator: Locator
    /// What it is.
    public var body: Body

    /// An element put together by a program, such as an app's own content service.
    public init(locator: Locator, body: Body) {
        self.locator = locator
        self.body = body
    }

    /// The text, of an element that is one.
    public var text: Text? { if case .text(let text) = body { text } else { nil } }

    /// A text that stands by itself.
    public struct Text: Hashable, Sendable {
        /// What part it plays.
        public var role: Role
        /// Whether it is a note at the foot of the page or the end of the book.
        public var isFootnote: Bool
        /// Its parts in order; each has one language.
        public var segments: [Segment]

        /// A text put together by a program.
        public init(role: Role = .paragraph, isFootnote: Bool = false, segments: [Segment]) {
            self.role = role
            self.isFootnote = isFootnote
            self.segments = segments
        }

        /// All that is shown, without ruby annotations.
        public var string: String { segments.map(\.string).joined() }

        /// What is meant to be spoken: without parts hidden from assistive technology and without marks of notes.
        public var spokenString: String {
            segments.filter { !$0.isHiddenFromAssistiveTechnology && !$0.isNoteReference }.map(\.string).joined()
        }

        /// The BCP 47 tag of the language of its first part; nil where the publication does not say.
        public var language: String? { segments.first?.language }

        /// The direction that its first strong character has (Unicode Standard Annex #9, rule P2).
        public var direction: TextDirection { TextDirection(of: string) }
    }

    /// A part of a text in one language.
    public struct Segment: Hashable, Sendable {
        /// The text, white space collapsed.
        public var string: String
        /// The BCP 47 tag of its language; nil where the publication does not say.
        public var language: String?
        /// How the text is read, written above it or beside it (`ruby`); nil without such a note.
        public var ruby: String?
        /// Whether the text is hidden from assistive technology (`aria-hidden`).
        public var isHiddenFromAssistiveTechnology: Bool
        /// Whether the text is the mark of a note, such as a small figure.
        public var isNoteReference: Bool

        /// A segment put together by a program.
        public init(
            _ string: String, language: String? = nil, ruby: String? = nil,
            isHiddenFromAssistiveTechnology: Bool = false, isNoteReference: Bool = false
        ) {
            self.string = string
            self.language = language
            self.ruby = ruby
            self.isHiddenFromAssistiveTechnology = isHiddenFromAssistiveTechnology
            self.isNoteReference = isNoteReference
        }
    }

    /// A picture, a recording or a film.
    public struct Media: Hashable, Sendable {
        /// The resource; an address on the web stays one.
        public var link: Link
        /// What it shows, for people who do not see or hear it (`alt`, `aria-label`, `title`); nil where the publication
        /// does not say, empty for decoration.
        public var description: String?

        /// A picture, a recording or a film.
        public init(link: Link, description: String? = nil) {
            self.link = link
            self.description = description
        }
    }
}

/// The direction of a text's lines.
public enum TextDirection: String, Hashable, Sendable {
    /// From left to right.
    case leftToRight = "ltr"
    /// From right to left.
    case rightToLeft = "rtl"

    /// The direction of the first strong character of `text` (Unicode Standard Annex #9, rule P2); left to right where
    /// there is none. Of the right-to-left scripts those count that are in use today: Hebrew, Arabic, Syriac, Thaana,
    /// N'Ko, Samaritan, Mandaic and Adlam.
    public init(of text: String) {
        self = .leftToRight
        for scalar in text.unicodeScalars {
            if Self.isRightToLeft(scalar) {
                self = .rightToLeft
                return
            }
            if scalar.properties.isAlphabetic { return }
        }
    }

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x05BE, 0x05C0, 0x05C3, 0x05C6, 0x05D0...0x05F4, 0x0608, 0x060B, 0x060D, 0x061B...0x064A, 0x066D...0x066F,
            0x0671...0x06D5, 0x06E5, 0x06E6, 0x06EE, 0x06EF, 0x06FA...0x070D, 0x0710, 0x0712...0x072F, 0x074D...0x07A5,
            0x07B1, 0x07C0...0x07EA, 0x07F4, 0x07F5, 0x0800...0x0815, 0x0840...0x0858, 0x0860...0x08C9, 0x200F,
            0xFB1D, 0xFB1F...0xFB28, 0xFB2A...0xFD3D, 0xFD50...0xFDFC, 0xFE70...0xFEFC, 0x1E900...0x1E943:
            true
        default: false
        }
    }
}
