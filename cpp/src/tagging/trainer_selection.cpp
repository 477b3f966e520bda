// Trainer: what selects templates and features.
#include <cmath>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/tagging/trainer.hpp"

namespace ramify::tagging {

namespace {

using Entry = learn::LabelRows::Entry;

}  // namespace

std::vector<double> Trainer::template_statistics() const {
  const std::size_t n = model_.num_templates();
  std::vector<double> out(3 * n, 0.0);
  const double time = time_for_average();
  const std::vector<learn::TemplateNorm> norms = template_norms(true);
  for (std::size_t m = 0; m < norms.size(); ++m) {
    out[m] = static_cast<double>(norms[m].count);
    out[n + m] = std::sqrt(norms[m].squares);
  }
  for (const Example& example : train_) {
    for (std::size_t i = 0; i < example.features.size(); ++i) {
      const std::size_t m = learn::template_of(index_.keys()[example.features[i]]);
      for (std::uint32_t p = example.begin[i]; p < example.begin[i + 1]; ++p) {
        const Entry* entry = rows_->find(example.features[i], example.gold[example.words[p]]);
        if (entry != nullptr) out[2 * n + m] += std::abs(rows_->value(example.features[i], *entry, time));
      }
    }
  }
  return out;
}

std::vector<double> Trainer::information_gain() const {
  learn::LabelRows counts(rows_->templates(), model_.num_labels(), options_.optimizer);
  std::vector<double> of_feature(index_.size(), 0.0), of_label(model_.num_labels(), 0.0);
  double words = 0.0;
  for (const Example& example : train_) {
    words += static_cast<double>(example.gold.size());
    for (const std::uint16_t label : example.gold) of_label[label] += 1.0;
    for (std::size_t i = 0; i < example.features.size(); ++i) {
      for (std::uint32_t p = example.begin[i]; p < example.begin[i + 1]; ++p) {
        counts.open(example.features[i], example.gold[example.words[p]]).weight += 1.0F;
        of_feature[example.features[i]] += 1.0;
      }
    }
  }
  std::vector<double> gains(model_.num_templates(), 0.0);
  for (std::size_t f = 0; f < index_.size(); ++f) {
    double& gain = gains[learn::template_of(index_.keys()[f])];
    for (const Entry& entry : counts.row(f)) {
      if (entry.weight == 0.0F) continue;
      const auto both = static_cast<double>(entry.weight);
      gain += both / words * std::log2(both * words / (of_feature[f] * of_label[entry.label]));
    }
  }
  return gains;
}

FeatureLabels Trainer::support() const {
  rows_->settle();
  FeatureLabels out;
  for (std::size_t f = 0; f < index_.size(); ++f) {
    std::uint16_t count = 0;
    for (const Entry& entry : rows_->row(f)) {
      if (entry.weight == 0.0F) continue;
      out.labels.push_back(static_cast<std::uint16_t>(entry.label));
      ++count;
    }
    if (count == 0) continue;
    out.keys.push_back(index_.keys()[f]);
    out.counts.push_back(count);
  }
  return out;
}

void Trainer::restrict_to(const FeatureLabels& support) {
  *rows_ = learn::LabelRows(rows_->templates(), model_.num_labels(), options_.optimizer);
  std::size_t from = 0;
  for (std::size_t i = 0; i < support.keys.size(); ++i) {
    const std::size_t end = from + support.counts[i];
    const std::uint32_t feature = index_.find(support.keys[i]);
    for (; from < end; ++from) {
      if (feature != learn::FeatureIndex::kNone) rows_->open(feature, support.labels[from]);
    }
  }
  options_.supported = true;
}

}  // namespace ramify::tagging
