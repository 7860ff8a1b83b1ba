# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_spdx.py FILE VERSION NAME=LINK...: checks what SPDX 2.3 requires of a document, and the software that it names
beside Recur, with the kinds of link."""
import json
import re
import sys

document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
assert document["SPDXID"] == "SPDXRef-DOCUMENT" and document["documentNamespace"].startswith("https://")
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
packages = {package["name"]: package for package in document["packages"]}
links = dict(argument.split("=") for argument in sys.argv[3:])
assert set(packages) == {"recur", *links}, packages
assert packages["recur"]["versionInfo"] == sys.argv[2]
assert packages["llvm"]["versionInfo"].startswith("22.1."), packages["llvm"]
for name in set(links) - {"llvm"}:
    assert re.fullmatch(r"\d+(\.\d+)+", packages[name]["versionInfo"]), packages[name]
ids = {"SPDXRef-DOCUMENT"} | {package["SPDXID"] for package in packages.values()}
for package in packages.values():
    assert {"downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"} <= set(package)
for relation in document["relationships"]:
    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids
assert links == {
    relation["relatedSpdxElement"].removeprefix("SPDXRef-"): relation["relationshipType"]
    for relation in document["relationships"]
    if relation["spdxElementId"] == "SPDXRef-recur"
}, document["relationships"]
