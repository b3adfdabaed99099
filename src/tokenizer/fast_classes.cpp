#include "tokenizer/fast_classes.hpp"

#include <algorithm>
#include <ranges>

namespace transmuter {

namespace {

constexpr std::string_view kNoTypes = "input_ids attention_mask";

//                               bos      eos      unk      sep      pad      cls      mask
constexpr SpecialTexts kBert{"", "", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
constexpr SpecialTexts kRoberta{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"};
constexpr SpecialTexts kAlbert{"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"};
constexpr SpecialTexts kDeberta{"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
constexpr SpecialTexts kGpt2{"<|endoftext|>", "<|endoftext|>", "<|endoftext|>"};
constexpr SpecialTexts kLlama{"<s>", "</s>", "<unk>"};

constexpr Wraps mask(Wrap wrap) {
  Wraps wraps{};
  wraps.back() = wrap;
  return wraps;
}

constexpr Wraps all_plain_mask_left() {
  Wraps wraps;
  wraps.fill(Wrap::Plain);
  wraps.back() = Wrap::Left;
  return wraps;
}

// Parity: transformers 4.57, __init__ of each class named here and TOKENIZER_MAPPING_NAMES of AutoTokenizer.
constexpr FastClass kClasses[] = {
    {.names = "AlbertTokenizer",
     .model_types = "albert nystromformer yoso",
     .tokens = kAlbert,
     .wraps = mask(Wrap::Left)},
    {.names = "BartTokenizer LEDTokenizer",
     .model_types = "bart led",
     .tokens = kRoberta,
     .wraps = mask(Wrap::LeftNormalized),
     .inputs = kNoTypes,
     .processor = ProcessorRule::Offsets},
    {.names = "BarthezTokenizer XLMRobertaTokenizer",
     .model_types = "barthez kosmos-2 metaclip_2 xlm-roberta xlm-roberta-xl xmod",
     .tokens = kRoberta,
     .wraps = mask(Wrap::Left),
     .inputs = kNoTypes},
    {.names = "BertTokenizer ConvBertTokenizer DPRContextEncoderTokenizer DPRQuestionEncoderTokenizer ElectraTokenizer "
              "LayoutLMTokenizer LxmertTokenizer MobileBertTokenizer SqueezeBertTokenizer",
     .model_types = "align bark bert blip bros chinese_clip convbert dpr electra ernie git grounding-dino layoutlm "
                    "lxmert megatron-bert mm-grounding-dino mobilebert nezha qdqbert squeezebert tvp vilt visual_bert",
     .tokens = kBert,
     .normalizer = NormalizerRule::Bert},
    {.names = "BigBirdTokenizer",
     .model_types = "big_bird",
     .tokens = {"<s>", "</s>", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
     .wraps = all_plain_mask_left(),
     .inputs = kNoTypes},
    {.names = "BlenderbotTokenizer LongformerTokenizer RobertaTokenizer",
     .model_types = "blenderbot bridgetower clap data2vec-text ibert longformer mega mra roberta roberta-prelayernorm",
     .tokens = kRoberta,
     .wraps = mask(Wrap::Left),
     .inputs = kNoTypes,
     .processor = ProcessorRule::Offsets},
    {.names = "BloomTokenizer",
     .model_types = "bloom",
     .tokens = {"<s>", "</s>", "<unk>", "", "<pad>"},
     .inputs = kNoTypes,
     .prefix_space = PrefixSpace::SetDeep},
    {.names = "CLIPTokenizer",
     .model_types = "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit xclip",
     .tokens = {"<|startoftext|>", "<|endoftext|>", "<|endoftext|>", "", "<|endoftext|>"},
     .inputs = kNoTypes,
     .suffix_becomes_space = true},
    {.names = "CamembertTokenizer",
     .model_types = "camembert",
     .tokens = kRoberta,
     .wraps = mask(Wrap::Left),
     .inputs = kNoTypes},
    {.names = "CodeGenTokenizer GPT2Tokenizer",
     .model_types = "blip-2 codegen dbrx emu3 exaone4 flex_olmo gpt2 gpt_bigcode gpt_neo gptj instructblip "
                    "instructblipvideo minimax olmo3 opt phi starcoder2",
     .tokens = kGpt2,
     .inputs = kNoTypes},
    {.names = "CodeLlamaTokenizer",
     .model_types = "code_llama",
     .tokens = kLlama,
     .inputs = kNoTypes,
     .processor = ProcessorRule::Bos,
     .padding_side = Side::Left},
    {.names = "CohereTokenizer",
     .model_types = "aya_vision cohere cohere2",
     .tokens = {"<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>", "<UNK>"},
     .inputs = kNoTypes,
     .processor = ProcessorRule::Bos,
     .prefix_space = PrefixSpace::SetDeep,
     .padding_side = Side::Left},
    {.names = "DebertaTokenizer DebertaV2Tokenizer", .model_types = "deberta deberta-v2", .tokens = kDeberta},
    {.names = "DistilBertTokenizer",
     .model_types = "distilbert",
     .tokens = kBert,
     .inputs = kNoTypes,
     .normalizer = NormalizerRule::Bert},
    {.names = "FNetTokenizer",
     .model_types = "fnet",
     .tokens = {"", "", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
     .wraps = {Wrap::None, Wrap::None, Wrap::None, Wrap::Plain, Wrap::None, Wrap::Plain, Wrap::Left},
     .inputs = "input_ids token_type_ids"},
    {.names = "FunnelTokenizer",
     .model_types = "funnel",
     .tokens = {"<s>", "</s>", "<unk>", "<sep>", "<pad>", "<cls>", "<mask>"},
     .normalizer = NormalizerRule::Bert},
    {.names = "GPTNeoXTokenizer",
     .model_types = "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmo2 olmoe rwkv stablelm xlstm",
     .tokens = kGpt2,
     .inputs = kNoTypes,
     .processor = ProcessorRule::NoBos},
    {.names = "GemmaTokenizer",
     .model_types = "gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 siglip2 t5gemma",
     .tokens = {"<bos>", "<eos>", "<unk>", "", "<pad>"},
     .inputs = kNoTypes,
     .processor = ProcessorRule::Bos,
     .padding_side = Side::Left},
    {.names = "HerbertTokenizer",
     .model_types = "herbert",
     .tokens = {"", "", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
    {.names = "LlamaTokenizer",
     .model_types = "arcee aria chameleon colpali deepseek_v2 deepseek_v3 deepseek_vl deepseek_vl_hybrid diffllama "
                    "ernie4_5 ernie4_5_moe idefics idefics2 idefics3 jamba janus jetmoe llama llama4 llama4_text llava "
                    "llava_next llava_next_video llava_onevision ministral mistral mistral3 mixtral mllama paligemma "
                    "persimmon phi3 phimoe video_llava vipllava zamba zamba2",
     .tokens = kLlama,
     .inputs = kNoTypes,
     .processor = ProcessorRule::Bos,
     .prefix_space = PrefixSpace::Keep,
     .padding_side = Side::Left},
    {.names = "MBart50Tokenizer",
     .model_types = "mbart50",
     .tokens = {"", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"},
     .wraps = mask(Wrap::Left),
     .inputs = kNoTypes,
     .processor = ProcessorRule::LanguageFirst,
     .language = "en_XX"},
    {.names = "MBartTokenizer",
     .model_types = "mbart",
     .tokens = kRoberta,
     .wraps = mask(Wrap::Left),
     .inputs = kNoTypes,
     .processor = ProcessorRule::LanguageLast,
     .language = "en_XX"},
    {.names = "MPNetTokenizer",
     .model_types = "mpnet",
     .tokens = {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>"},
     .wraps = all_plain_mask_left(),
     .inputs = kNoTypes,
     .normalizer = NormalizerRule::BertWithoutChinese},
    {.names = "MT5Tokenizer T5Tokenizer",
     .model_types = "longt5 mt5 musicgen musicgen_melody pix2struct switch_transformers t5 umt5",
     .tokens = {"", "</s>", "<unk>", "", "<pad>"},
     .inputs = kNoTypes,
     .prefix_space = PrefixSpace::Keep},
    {.names = "MvpTokenizer",
     .model_types = "mvp",
     .tokens = kRoberta,
     .wraps = all_plain_mask_left(),
     .inputs = kNoTypes,
     .processor = ProcessorRule::Offsets},
    {.names = "NllbTokenizer",
     .model_types = "nllb nllb-moe",
     .tokens = kRoberta,
     .wraps = mask(Wrap::LeftNormalized),
     .inputs = kNoTypes,
     .processor = ProcessorRule::Nllb,
     .language = "eng_Latn"},
    {.names = "NougatTokenizer",
     .model_types = "",
     .tokens = {"<s>", "</s>", "<unk>", "", "<pad>"},
     .inputs = kNoTypes},
    {.names = "OpenAIGPTTokenizer", .model_types = "openai-gpt", .tokens = {"", "", "<unk>"}, .inputs = kNoTypes},
    {.names = "PegasusTokenizer",
     .model_types = "bigbird_pegasus pegasus pegasus_x",
     .tokens = {"", "</s>", "<unk>", "", "<pad>", "", "<mask_2>"},
     .inputs = kNoTypes},
    {.names = "PreTrainedTokenizer",
     .model_types = "bitnet blt csm falcon glm glm4 glm4_moe glm4v glm4v_moe gpt_oss helium kosmos-2.5 modernbert "
                    "moonshine moshi nemotron pixtral smollm3 voxtral"},
    {.names = "Qwen2Tokenizer",
     .model_types = "colqwen2 internvl qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_moe "
                    "qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe",
     .tokens = {"", "<|endoftext|>", "<|endoftext|>", "", "<|endoftext|>"},
     .wraps = {Wrap::Plain, Wrap::Plain, Wrap::Plain, Wrap::None, Wrap::Plain},
     .inputs = kNoTypes},
    {.names = "ReformerTokenizer", .model_types = "reformer", .tokens = {"", "</s>", "<unk>"}, .inputs = kNoTypes},
    {.names = "RemBertTokenizer", .model_types = "rembert", .tokens = kAlbert, .wraps = mask(Wrap::Left)},
    {.names = "SeamlessM4TTokenizer",
     .model_types = "seamless_m4t seamless_m4t_v2",
     .tokens = {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>"},
     .inputs = kNoTypes,
     .processor = ProcessorRule::LanguageFirst,
     .language = "__eng__"},
    {.names = "SplinterTokenizer",
     .model_types = "splinter",
     .tokens = kBert,
     .normalizer = NormalizerRule::BertWithoutChinese},
    {.names = "WhisperTokenizer",
     .model_types = "whisper",
     .tokens = kGpt2,
     .wraps = {Wrap::Plain, Wrap::Plain, Wrap::Plain},
     .inputs = kNoTypes},
    {.names = "XGLMTokenizer",
     .model_types = "xglm",
     .tokens = {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>"},
     .inputs = kNoTypes},
    {.names = "XLNetTokenizer",
     .model_types = "xlnet",
     .tokens = {"<s>", "</s>", "<unk>", "<sep>", "<pad>", "<cls>", "<mask>"},
     .wraps = mask(Wrap::Left),
     .padding_side = Side::Left},
};

constexpr FastClass kUnknown{.names = "", .model_types = "", .prefix_space = PrefixSpace::Keep};

/// The row whose list has `word`.
const FastClass& find(std::string_view FastClass::* list, std::string_view word) {
  const auto has_word = [&](const FastClass& row) {
    return std::ranges::any_of(std::views::split(row.*list, ' '),
                               [&](auto&& own) { return std::ranges::equal(own, word); });
  };
  const auto row = std::ranges::find_if(kClasses, has_word);
  return row == std::end(kClasses) ? kUnknown : *row;
}

}  // namespace

const FastClass& fast_class(std::string_view name) {
  if (name.ends_with("Fast")) name.remove_suffix(4);
  return find(&FastClass::names, name);
}

const FastClass& fast_class_of_model(std::string_view model_type) { return find(&FastClass::model_types, model_type); }

}  // namespace transmuter
