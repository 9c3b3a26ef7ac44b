import Foundation
import Publication
import Testing

/// The examples of RFC 6570, sections 1.2 and 3.2, with the values given there.
@Suite struct URITemplateTests {
    private static let values: [String: URITemplate.Value] = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%",
        "var": "value",
        "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar", "list": ["red", "green", "blue"],
        "keys": ["semi": ";", "dot": ".", "comma": ","], "v": "6", "x": "1024", "y": "768", "empty": "",
        "empty_keys": .map([]),
        "empty_list": .list([]),
    ]

    private static let examples: [(String, String)] = [
        // 3.2.1 Variable Expansion
        ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"), ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
        // 3.2.2 Simple String Expansion
        ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"), ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"), ("{var:3}", "val"), ("{var:30}", "value"), ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        // 3.2.3 Reserved Expansion
        ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"), ("O{+empty}X", "OX"), ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"), ("{+list*}", "red,green,blue"), ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        // 3.2.4 Fragment Expansion
        ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"), ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"), ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"), ("{#list*}", "#red,green,blue"), ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        // 3.2.5 Label Expansion with Dot-Prefix
        ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var}", "X.value"), ("X{.empty}", "X."), ("X{.undef}", "X"), ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"), ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"),
        // 3.2.6 Path Segment Expansion
        ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var}", "/value"), ("{/var,empty}", "/value/"), ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"), ("{/list}", "/red,green,blue"), ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"), ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        // 3.2.7 Path-Style Parameter Expansion
        ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"), ("{;x,y}", ";x=1024;y=768"), ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{;x,y,undef}", ";x=1024;y=768"), ("{;hello:5}", ";hello=Hello"), ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"), ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        // 3.2.8 Form-Style Query Expansion
        ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"), ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"), ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        // 3.2.9 Form-Style Query Continuation
        ("{&who}", "&who=fred"), ("{&half}", "&half=50%25"), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&x,y,undef}", "&x=1024&y=768"), ("{&var:3}", "&var=val"), ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"), ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
    ]

    @Test(arguments: examples)
    func `every example of the standard comes out`(template: String, expected: String) throws {
        #expect(try URITemplate(template).expand(Self.values) == expected)
    }

    @Test(arguments: [
        ("a b/é\"{var}%41%4", "a%20b/%C3%A9%22value%41%254"), ("{+pct}", "%41%25"), ("{+pct:1}", "%41"),
        ("{pct:1}", "%25"),
        ("{emoji:1}", "%F0%9F%98%80"),
        ("{accent:2}", "e%CC%81"), ("{a.b}{%41}{_x}", "123"), ("{?odd*}", "?a%20b/=c"), ("{odd*}", "a%20b%2F=c"),
        ("", ""),
        ("{?empty_list*}", ""),
        ("{;blank*}", ";a"), ("{?blank*}", "?a="),
    ])
    func `literals, names and characters are encoded as they should be`(template: String, expected: String) throws {
        let values: [String: URITemplate.Value] = [
            "pct": "%41%", "emoji": "😀x", "accent": "e\u{301}x", "a.b": "1", "%41": "2", "_x": "3",
            "odd": ["a b/": "c"], "var": "value",
            "empty_list": .list([]), "blank": ["a": ""],
        ]
        #expect(try URITemplate(template).expand(values) == expected)
    }

    @Test(arguments: [
        "{", "}", "{a", "a}", "{}", "{?}", "{a,}", "{,a}", "{{a}}", "{a{b}", "{=path}", "{!hello}", "{@a}", "{|var*}",
        "{$var}", "{~a}",
        "{??a}", "{/?id}",
        "{/id*", "{var:prefix}", "{hello:2*}", "{a:0}", "{a:10000}", "{a:}", "{a:01}", "{a:-1}", "{a*:3}", "{a**}",
        "{with space}",
        "{ lead}",
        "{default-id}", "{?empty=default,var}", "{var}{-prefix|/-/|var}", "{a..b}", "{.a.}", "{%4}", "{%zz}", "{é}",
        "{keys?}", "{hello+}",
    ])
    func `a malformed template is refused with a sentence`(template: String) throws {
        let error = #expect(throws: CocoaError.self) { try URITemplate(template) }
        #expect(error?.code == .fileReadInvalidFileName)
        #expect(error?.localizedDescription.contains("“\(template)”") == true)
    }

    @Test(arguments: ["{list:3}", "{?keys:1}"])
    func `the first characters of a list are refused`(template: String) throws {
        let parsed = try URITemplate(template)
        #expect(throws: CocoaError.self) { try parsed.expand(Self.values) }
    }

    @Test func `variables are listed once and in order`() throws {
        #expect(try URITemplate("/{b}{/a*,b:3}{?c,a}").variables == ["b", "a", "c"])
        #expect(try URITemplate("plain").variables == [])
    }
}
