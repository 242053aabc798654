#!/usr/bin/env python3
"""The other side of `make bench`: lesson 07's training by PyTorch, on request.

    torch_train.py INIT.safetensors BATCHES.safetensors

Prints one line, `ready` and PyTorch's version. Then, for each line `THREADS STEPS TRIM` on stdin:
starts from the weights in INIT, trains on the first STEPS batches, and prints the seconds that took
and the losses, in one line. TRIM 1 cuts each batch after its longest string; 0 keeps all its pads.
"""
import json
import math
import struct
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(3)

IGNORE = -100
HEADS = 2
WARM_UP = 5  # steps before the clock starts


def read_safetensors(path):
    """The tensors in a file by name: https://github.com/huggingface/safetensors, "Format"."""
    types = {"F32": torch.float32, "I32": torch.int32}
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = torch.frombuffer(data[begin:end], dtype=types[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def attention(x, w, prefix, mask):
    batch, length, width = x.shape
    qkv = F.linear(x, w[prefix + "qkv.weight"], w[prefix + "qkv.bias"])
    q, k, v = qkv.view(batch, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(width // HEADS)) + mask
    heads = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
    return F.linear(heads, w[prefix + "out.weight"], w[prefix + "out.bias"])


def norm(x, w, name):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"])


def mlp(x, w, prefix):
    up = F.gelu(F.linear(x, w[prefix + "0.weight"], w[prefix + "0.bias"]))
    return F.linear(up, w[prefix + "2.weight"], w[prefix + "2.bias"])


def loss_of(w, layers, tokens, targets, mask):
    length = tokens.shape[1]
    x = F.embedding(tokens, w["tok.weight"]) + w["pos.weight"][:length]
    for layer in range(layers):
        prefix = f"blocks.{layer}."
        x = x + attention(norm(x, w, prefix + "ln1"), w, prefix + "attn.", mask[:length, :length])
        x = x + mlp(norm(x, w, prefix + "ln2"), w, prefix + "mlp.")
    logits = F.linear(norm(x, w, "ln"), w["head.weight"], w["head.bias"])
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE)


def batches_of(tokens, targets, steps, trim):
    """The batches, ready to be used: converting them is not on the clock."""
    batches = []
    for step in range(steps):
        length = tokens.shape[2]
        if trim:
            length = int((targets[step] != IGNORE).any(0).nonzero().max()) + 1
        batches.append((tokens[step, :, :length].long().contiguous(),
                        targets[step, :, :length].long().contiguous()))
    return batches


def train(init, batches):
    """Returns the losses, step by step."""
    w = {name: tensor.clone().requires_grad_() for name, tensor in init.items()}
    layers = 1 + max(int(name.split(".")[1]) for name in w if name.startswith("blocks."))
    optimizer = torch.optim.AdamW(list(w.values()), lr=0.003, weight_decay=0.01, foreach=True)
    context = w["pos.weight"].shape[0]
    mask = torch.full((context, context), -math.inf).triu(1)
    losses = []
    for tokens, targets in batches:
        loss = loss_of(w, layers, tokens, targets, mask)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    init, data = read_safetensors(sys.argv[1]), read_safetensors(sys.argv[2])
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        threads, steps, trim = (int(word) for word in line.split())
        torch.set_num_threads(threads)
        batches = batches_of(data["tokens"], data["targets"], steps, trim)
        train(init, batches[:WARM_UP])
        start = time.perf_counter()
        losses = train(init, batches)
        seconds = time.perf_counter() - start
        print(seconds, *losses, flush=True)


if __name__ == "__main__":
    main()
