// One import for apps: this module, and the publications that it keeps.
@_exported public import Publication
