import Foundation

/// Feeds in the manner of well-known catalogues, made for tests.
enum AtomSamples {
    /// calibre's content server: links without a relation, series and tags in the content.
    static let calibre = """
        <?xml version='1.0' encoding='utf-8'?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/" \
        xmlns:opds="http://opds-spec.org/2010/catalog">
          <title>calibre Library :: Newest</title>
          <id>calibre:newest</id>
          <updated>2026-01-31T08:30:00+00:00</updated>
          <author><name>calibre</name><uri>https://calibre-ebook.com</uri></author>
          <link type="application/opensearchdescription+xml" rel="search" title="Search" href="/opds/osd"/>
          <link type="application/atom+xml;profile=opds-catalog" rel="next" href="/opds/navcatalog/4f?offset=30"/>
          <entry>
            <title>By Author</title>
            <id>calibre-navcatalog:authors</id>
            <updated>2026-01-31T08:30:00+00:00</updated>
            <link type="application/atom+xml" href="/opds/navcatalog/4e617574686f7273"/>
            <content type="text">Authors</content>
          </entry>
          <entry>
            <title>Typee</title>
            <author><name>Herman Melville</name></author>
            <id>urn:uuid:11111111-1111-4111-8111-111111111111</id>
            <updated>2026-01-30T10:00:00+00:00</updated>
            <published>1846-02-26T00:00:00+00:00</published>
            <dc:language>eng</dc:language>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">RATING: ★★★<br/>TAGS: Sea, \
        Islands<br/>SERIES: South Seas [1.50]<br/><p class="d">A <b>peep</b> &amp; more</p></div></content>
            <link type="application/epub+zip" href="/get/epub/1/lib" rel="http://opds-spec.org/acquisition" \
        length="105223" mtime="2026-01-30T10:00:00+00:00"/>
            <link type="image/jpeg" href="/get/cover/1/lib" rel="http://opds-spec.org/cover"/>
            <link type="image/jpeg" href="/get/thumb/1/lib" rel="http://opds-spec.org/thumbnail"/>
          </entry>
        </feed>
        """

    /// Comic servers: pages one by one, under prefixes that each server chooses.
    static let comics = """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns:p2="http://vaemendis.net/opds-pse/ns" xmlns="http://www.w3.org/2005/Atom">
          <id>7</id><title>On Deck</title><updated>2026-01-31T08:30:00.123456Z</updated>
          <totalResults xmlns="http://a9.com/-/spec/opensearch/1.1/">45</totalResults>
          <itemsPerPage xmlns="http://a9.com/-/spec/opensearch/1.1/">20</itemsPerPage>
          <startIndex xmlns="http://a9.com/-/spec/opensearch/1.1/">20</startIndex>
          <entry>
            <id>12</id><title>Robots 3</title><updated>2026-01-31T08:30:00</updated>
            <summary>File Type: CBZ - 1.3 MB</summary>
            <extent xmlns="http://purl.org/dc/terms/">24 pages</extent>
            <format xmlns="http://purl.org/dc/terms/">Archive</format>
            <link rel="http://opds-spec.org/acquisition/open-access" type="application/vnd.comicbook+zip" \
        href="/api/opds/key/download/Robots%203.cbz" title="Robots 3.cbz"/>
            <link rel="http://vaemendis.net/opds-pse/stream" type="image/jpeg" p2:count="24" p2:lastRead="5" \
        p2:lastReadDate="2026-01-30T10:00:00Z" href="/api/opds/key/image?page={pageNumber}&amp;width={maxWidth}"/>
            <link rel="http://opds-spec.org/image/thumbnail" type="image/png" href="/api/image/12"/>
          </entry>
        </feed>
        """

    /// A library's lanes: groups, facets, loans, holds, steps, people with roles.
    static let library = """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opds="http://opds-spec.org/2010/catalog" \
        xmlns:opf="http://www.idpf.org/2007/opf" xmlns:schema="http://schema.org/" \
        xmlns:dcterms="http://purl.org/dc/terms/" xmlns:bib="http://bib.schema.org/" \
        xmlns:simplified="http://librarysimplified.org/terms/" xmlns:thr="http://purl.org/syndication/thread/1.0" \
        xml:base="https://library.example.org/ny/">
          <id>https://library.example.org/ny/groups/</id>
          <title>All Books</title><updated>2026-01-31T08:30:00Z</updated>
          <link href="groups/" rel="self"/>
          <link href="groups/?l=en" rel="http://opds-spec.org/facet" title="English" opds:facetGroup="Language" \
        opds:activeFacet="true" thr:count="120"/>
          <link href="groups/?l=fr" rel="http://opds-spec.org/facet" title="French" opds:facetGroup="Language"/>
          <link href="groups/?a=now" rel="http://opds-spec.org/facet" title="Now" opds:facetGroup="Availability"/>
          <link href="auth" rel="http://opds-spec.org/auth/document" \
        type="application/vnd.opds.authentication.v1.0+json"/>
          <entry schema:additionalType="http://schema.org/EBook">
            <id>urn:isbn:9780000000001</id><title>Omoo</title>
            <schema:alternativeHeadline>A Narrative</schema:alternativeHeadline>
            <author><name>Herman Melville</name><simplified:sort_name>Melville, Herman</simplified:sort_name>
              <link href="author/melville" rel="contributor" type="application/atom+xml" title="Herman Melville"/>
            </author>
            <contributor opf:role="nrt"><name>A. Reader</name></contributor>
            <contributor opf:role="bjd"><name>A. Binder</name></contributor>
            <summary type="html">&lt;p&gt;The &lt;i&gt;sequel&lt;/i&gt;&lt;/p&gt;</summary>
            <category scheme="http://librarysimplified.org/terms/genres/" term="http://example.org/Adventure" \
        label="Adventure"/>
            <category term="Sea" label="Sea"/>
            <schema:Series schema:name="South Seas" schema:position="2"/>
            <dcterms:language>en</dcterms:language><dcterms:publisher>House</dcterms:publisher>
            <bib:publisherImprint>Little House</bib:publisherImprint>
            <dcterms:issued>1847</dcterms:issued>
            <dcterms:identifier>urn:isbn:9780000000001</dcterms:identifier>
            <dcterms:identifier>https://example.org/omoo</dcterms:identifier>
            <updated>2026-01-30T10:00:00Z</updated>
            <link href="works/1/borrow" rel="http://opds-spec.org/acquisition/borrow" \
        type="application/atom+xml;type=entry;profile=opds-catalog">
              <opds:indirectAcquisition type="application/vnd.adobe.adept+xml">
                <opds:indirectAcquisition type="application/epub+zip"/>
              </opds:indirectAcquisition>
              <opds:indirectAcquisition type="application/pdf"/>
              <opds:availability status="unavailable" since="2026-01-01T00:00:00Z" until="2026-02-01"/>
              <opds:holds total="12" position="3"/><opds:copies total="4" available="0"/>
            </link>
            <link href="works/1/buy" rel="http://opds-spec.org/acquisition/buy" type="application/epub+zip">
              <opds:price currencycode="EUR">9.90</opds:price><opds:price currencycode="USD">11</opds:price>
            </link>
            <link href="lanes/sea" rel="collection" title="Sea Stories" thr:count="31"/>
            <link href="https://covers.example.org/1.png" rel="http://opds-spec.org/image" type="image/png"/>
          </entry>
          <entry><id>urn:x:2</id><title>Mardi</title><updated>2026-01-30T10:00:00Z</updated>
            <link href="works/2" rel="alternate" type="application/atom+xml;type=entry;profile=opds-catalog"/>
            <link href="lanes/sea" rel="collection" title="Sea Stories"/>
          </entry>
        </feed>
        """

    /// Search results whose entries lead to the publications' own feeds, with pictures in the feed.
    static let results = """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
          <id>https://books.example.org/search.opds/?query=whale</id><updated>2026-01-31T08:30:00Z</updated>
          <title type="html">Books: &lt;b&gt;whale&lt;/b&gt; &amp;amp; sea</title>
          <subtitle>Free   books</subtitle><icon>/favicon.ico</icon>
          <opensearch:itemsPerPage>25</opensearch:itemsPerPage><opensearch:startIndex>26</opensearch:startIndex>
          <link rel="search" type="application/atom+xml" href="/search.opds/?query={searchTerms}"/>
          <entry><updated>2026-01-31T08:30:00Z</updated><id>https://books.example.org/2701.opds</id>
            <title>Moby-Dick</title><content type="text">Herman Melville</content>
            <link type="application/atom+xml;profile=opds-catalog" rel="subsection" href="/ebooks/2701.opds"/>
            <link type="image/png" rel="http://opds-spec.org/image/thumbnail" href="data:image/png;base64,iVBORw0KGgo="/>
          </entry>
        </feed>
        """

    /// Nothing but what an entry must have to be of use.
    static func feed(_ entries: String, attributes: String = "") -> Data {
        Data(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opds="http://opds-spec.org/2010/catalog" \(attributes)>
            <title>Books</title>\(entries)</feed>
            """.utf8)
    }
}
