// Large pools of feature templates, made by rules instead of by hand, for selection to choose from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ramify::parsing {

/// Of a head and a modifier, as Martins et al. (2011), section 5, describe theirs: words, shapes, lemmas and tags of
/// both, tags and words around them and between them, distance and direction, and conjunctions of these.
std::vector<std::string> arc_pool(std::string_view roles);
/// The same for labels, with fewer distances.
std::vector<std::string> label_pool(std::string_view roles);
/// Of three words: any two or all of them, at most two by more than their tags, and the tags around one of them.
std::vector<std::string> triple_pool(std::string_view roles);
/// Of four words: any three or all of them, at most one by more than its tag.
std::vector<std::string> quadruple_pool(std::string_view roles);

}  // namespace ramify::parsing
