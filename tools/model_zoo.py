"""The nine Hugging Face models that tests, benchmarks and the demo compile: small configurations, random weights, seeded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import transformers

VOCABULARY = 1000
CLASSES = 10
LAYERS = 4  # of transformers

Inputs = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Model:
    """A model of the zoo. `build()` returns the module without dropout, `inputs(batch, length)` its keyword arguments, `labels(inputs)`
    the keyword arguments for a loss. `length`: the number of tokens of a text model; Whisper's text has half as many, and its sound a
    fixed length. Other models ignore it."""

    name: str
    text: bool
    build: Callable[[], torch.nn.Module]
    inputs: Callable[[int, int], Inputs]
    labels: Callable[[Inputs], Inputs]


def _tokens(batch: int, length: int) -> torch.Tensor:
    return torch.randint(2, VOCABULARY, (batch, length))


def _causal_inputs(batch: int, length: int) -> Inputs:
    return {"input_ids": _tokens(batch, length)}


def _masked_inputs(batch: int, length: int) -> Inputs:
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[0, length - length // 4 :] = 0
    return {"input_ids": _tokens(batch, length), "attention_mask": mask}


def _translation_inputs(batch: int, length: int) -> Inputs:
    return {"input_ids": _tokens(batch, length), "decoder_input_ids": _tokens(batch, length)}


def _image_inputs(batch: int, length: int) -> Inputs:
    return {"pixel_values": torch.randn(batch, 3, 64, 64)}


def _speech_inputs(batch: int, length: int) -> Inputs:
    return {"input_features": torch.randn(batch, 40, 200), "decoder_input_ids": _tokens(batch, length // 2)}


def _token_labels(inputs: Inputs) -> Inputs:
    tokens = inputs["decoder_input_ids"] if "decoder_input_ids" in inputs else inputs["input_ids"]
    labels = tokens.clone()
    labels[:, ::3] = -100  # positions that the loss ignores
    return {"labels": labels}


def _class_labels(inputs: Inputs) -> Inputs:
    return {"labels": torch.randint(0, CLASSES, (inputs["pixel_values"].shape[0],))}


def _bert() -> torch.nn.Module:
    config = transformers.BertConfig(
        vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=LAYERS, num_attention_heads=4, intermediate_size=1024,
        max_position_embeddings=256, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return transformers.BertForMaskedLM(config)


def _gpt2() -> torch.nn.Module:
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_embd=256, n_layer=LAYERS, n_head=4, n_positions=256, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, use_cache=False, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config)
    model.loss_type = "ForCausalLM"  # otherwise a warning breaks the graph before the loss
    return model


def _llama() -> torch.nn.Module:
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=688, max_position_embeddings=256, use_cache=False, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config)


def _t5() -> torch.nn.Module:
    config = transformers.T5Config(
        vocab_size=VOCABULARY, d_model=192, d_kv=48, d_ff=512, num_layers=LAYERS, num_heads=4, dropout_rate=0.0,
        use_cache=False, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return transformers.T5ForConditionalGeneration(config)


def _vit() -> torch.nn.Module:
    config = transformers.ViTConfig(
        hidden_size=192, num_hidden_layers=LAYERS, num_attention_heads=4, intermediate_size=768, image_size=64, patch_size=8,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=CLASSES, problem_type="single_label_classification",
    )  # fmt: skip
    return transformers.ViTForImageClassification(config)


def _resnet() -> torch.nn.Module:
    config = transformers.ResNetConfig(
        embedding_size=32,
        hidden_sizes=[32, 64, 128, 256],
        depths=[2, 2, 2, 2],
        layer_type="basic",
        num_labels=CLASSES,
        problem_type="single_label_classification",
    )
    return transformers.ResNetForImageClassification(config)


def _convnext() -> torch.nn.Module:
    config = transformers.ConvNextConfig(
        hidden_sizes=[48, 96, 192, 256],
        depths=[1, 1, 2, 1],
        drop_path_rate=0.0,
        image_size=64,
        num_labels=CLASSES,
        problem_type="single_label_classification",
    )
    return transformers.ConvNextForImageClassification(config)


def _mobilenet() -> torch.nn.Module:
    config = transformers.MobileNetV2Config(
        image_size=64, depth_multiplier=0.5, classifier_dropout_prob=0.0, num_labels=CLASSES, problem_type="single_label_classification"
    )
    return transformers.MobileNetV2ForImageClassification(config)


def _whisper() -> torch.nn.Module:
    config = transformers.WhisperConfig(
        vocab_size=VOCABULARY, num_mel_bins=40, d_model=192, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=512, decoder_ffn_dim=512, max_source_positions=100, max_target_positions=64,
        dropout=0.0, use_cache=False, pad_token_id=0, bos_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return transformers.WhisperForConditionalGeneration(config)


MODELS = {
    model.name: model
    for model in (
        Model("bert", True, _bert, _masked_inputs, _token_labels),
        Model("gpt2", True, _gpt2, _causal_inputs, _token_labels),
        Model("llama", True, _llama, _causal_inputs, _token_labels),
        Model("t5", True, _t5, _translation_inputs, _token_labels),
        Model("vit", False, _vit, _image_inputs, _class_labels),
        Model("resnet", False, _resnet, _image_inputs, _class_labels),
        Model("convnext", False, _convnext, _image_inputs, _class_labels),
        Model("mobilenet", False, _mobilenet, _image_inputs, _class_labels),
        Model("whisper", True, _whisper, _speech_inputs, _token_labels),
    )
}


def build(name: str, dtype: torch.dtype = torch.float32, train: bool = False, device: str = "cpu") -> torch.nn.Module:
    """The module of model `name`, with the same weights in every call."""
    torch.manual_seed(0)
    return MODELS[name].build().to(device, dtype).train(train)


def make_inputs(
    name: str, dtype: torch.dtype = torch.float32, train: bool = False, batch: int = 4, length: int = 64, device: str = "cpu"
) -> Inputs:
    """Keyword arguments for model `name`, the same in every call. `train`: with labels, so that the model returns a loss."""
    torch.manual_seed(1)
    model = MODELS[name]
    inputs = model.inputs(batch, length)
    labels = model.labels(inputs) if train else {}
    dtypes = {key: dtype if value.is_floating_point() else value.dtype for key, value in (inputs | labels).items()}
    return {key: value.to(device, dtypes[key]) for key, value in (inputs | labels).items()}
