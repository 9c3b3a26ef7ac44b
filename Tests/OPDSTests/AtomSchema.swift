import Foundation
import ProviderDoubles

/// Judges Atom by rules from RFC 4287, with xmllint of libxml2, which also brings the parser of this package.
enum AtomSchema {
    private static let program = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether xmllint is installed, or has to be: then a test without it fails.
    static var isAvailable: Bool {
        program != nil || ProcessInfo.processInfo.environment["CARREL_REQUIRE_SERVERS"] == "1"
    }

    /// What is wrong with `document`; empty if it is valid.
    static func faults(in document: Data) throws -> String {
        let folder = try TemporaryFolder()
        let (schema, file) = (folder.url.appending(path: "atom.rng"), folder.url.appending(path: "document.xml"))
        try Data(relaxNG.utf8).write(to: schema)
        try document.write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program ?? "/usr/bin/xmllint")
        process.arguments = [
            "--nonet", "--noout", "--relaxng", schema.path(percentEncoded: false), file.path(percentEncoded: false),
        ]
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 4287, sections 3 and 4, for what we write. Stricter in two points: each entry has content, which the RFC
    /// asks of those without an alternate link, and texts are never XHTML.
    private static let relaxNG = #"""
        <?xml version="1.0"?>
        <grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="http://www.w3.org/2005/Atom"
            datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
          <start><choice><ref name="feed"/><element name="entry"><ref name="common"/><interleave><ref name="entry"/>
            <ref name="entryAuthor"/></interleave></element></choice></start>
          <define name="feed">
            <element name="feed">
              <ref name="common"/>
              <interleave>
                <oneOrMore><ref name="author"/></oneOrMore>
                <ref name="head"/>
                <optional><element name="subtitle"><ref name="text"/></element></optional>
                <optional><element name="icon"><ref name="iri"/></element></optional>
                <optional><element name="logo"><ref name="iri"/></element></optional>
                <zeroOrMore><ref name="link"/></zeroOrMore>
                <zeroOrMore><element name="entry"><ref name="common"/><interleave><ref name="entry"/><zeroOrMore>
                  <ref name="author"/></zeroOrMore></interleave></element></zeroOrMore>
                <zeroOrMore><ref name="extension"/></zeroOrMore>
              </interleave>
            </element>
          </define>
          <define name="head">
            <interleave>
              <element name="id"><ref name="iri"/></element>
              <element name="title"><ref name="text"/></element>
              <element name="updated"><ref name="common"/><data type="dateTime">
                <param name="pattern">.*(Z|[+\-]\d\d:\d\d)</param></data></element>
            </interleave>
          </define>
          <define name="entry">
            <interleave>
              <ref name="head"/>
              <ref name="content"/>
              <zeroOrMore><element name="contributor"><ref name="person"/></element></zeroOrMore>
              <zeroOrMore><element name="category"><ref name="common"/><attribute name="term"/>
                <optional><attribute name="scheme"><ref name="uri"/></attribute></optional>
                <optional><attribute name="label"/></optional><empty/></element></zeroOrMore>
              <optional><element name="rights"><ref name="text"/></element></optional>
              <optional><element name="summary"><ref name="text"/></element></optional>
              <zeroOrMore><ref name="link"/></zeroOrMore>
              <zeroOrMore><ref name="extension"/></zeroOrMore>
            </interleave>
          </define>
          <define name="entryAuthor">
            <choice>
              <oneOrMore><ref name="author"/></oneOrMore>
              <element name="source"><ref name="common"/><oneOrMore><ref name="author"/></oneOrMore></element>
            </choice>
          </define>
          <define name="content">
            <element name="content"><ref name="common"/>
              <attribute name="type"><choice><value>text</value><value>html</value></choice></attribute><text/>
                </element>
          </define>
          <define name="author"><element name="author"><ref name="person"/></element></define>
          <define name="person">
            <ref name="common"/>
            <interleave>
              <element name="name"><text/></element>
              <optional><element name="uri"><ref name="iri"/></element></optional>
              <optional><element name="email"><data type="string"><param name="pattern">.+@.+</param></data>
                </element></optional>
              <zeroOrMore><ref name="extension"/></zeroOrMore>
            </interleave>
          </define>
          <define name="link"><element name="link"><optional><attribute name="rel"><data type="string">
            <param name="minLength">1</param></data></attribute></optional><ref name="linkRest"/></element>
              </define>
          <define name="linkRest">
            <ref name="common"/>
            <attribute name="href"/>
            <optional><attribute name="type"><data type="string"><param name="pattern">.+/.+</param></data>
              </attribute></optional>
            <optional><attribute name="hreflang"><data type="string">
              <param name="pattern">[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*</param></data></attribute></optional>
            <optional><attribute name="title"/></optional>
            <optional><attribute name="length"><data type="nonNegativeInteger"/></attribute></optional>
            <zeroOrMore><ref name="extension"/></zeroOrMore>
          </define>
          <define name="text"><ref name="common"/>
            <optional><attribute name="type"><choice><value>text</value><value>html</value></choice>
              </attribute></optional><text/></define>
          <define name="iri"><ref name="common"/><ref name="uri"/></define>
          <define name="uri"><data type="string"><param name="pattern">[A-Za-z][A-Za-z0-9+.\-]*:\S*</param>
            </data></define>
          <define name="common">
            <zeroOrMore><attribute><anyName><except><nsName ns=""/><nsName/></except></anyName></attribute>
              </zeroOrMore>
          </define>
          <define name="extension">
            <element><anyName><except><nsName/><nsName ns=""/></except></anyName>
              <zeroOrMore><choice><attribute><anyName/></attribute><text/><ref name="extension"/></choice>
                </zeroOrMore></element>
          </define>
        </grammar>
        """#
}
